import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { jobAtBirth } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import { draftAgain } from './draft-again.ts';
import type { Caller } from './enqueue.ts';
import { documentBusy } from './enqueue-answer.ts';
import { notFound } from './transition.ts';

export interface ReplayRequest {
  readonly deadLetterId: string;
  readonly caller: Caller;
  /** Replaces the input of the dead job. */
  readonly input?: unknown;
  /** Not claimable before this time: how a mass of replays is spread. */
  readonly runAt?: Instant;
}

/**
 * Makes a new job from a dead letter, linked by `parentJobId`, under the type's policy of today.
 * A dead letter is replayed once: asking again answers with the job of the first time.
 */
export async function replay(
  context: EngineContext,
  request: ReplayRequest,
): Promise<{ kind: 'created' | 'replayed'; job: Job }> {
  const { deadLetterId, ...again } = request;
  const { tenant } = request.caller;
  const [letter] = await context.store.deadLetters({ tenant, id: deadLetterId, limit: 1 });
  if (letter === undefined) {
    throw new PawlError('NOT_FOUND', `there is no dead letter ${deadLetterId}`);
  }
  const [dead] = await context.store.read([{ tenant, id: letter.jobId }]);
  const { jobId: id, type, correlationId, input } = letter;
  const parent = { ...dead, id, type, correlationId, input };
  const job = await draftAgain(context, { ...again, parent, kind: 'replay', replayOf: letter.id });
  const [outcome] = await context.store.insert([job]);
  if (outcome!.kind === 'created') {
    const made = jobAtBirth(job, outcome!.at);
    context.observer?.enqueued([made]);
    context.bell.born([made]);
    context.live.born([made]);
    return { kind: 'created', job: made };
  }
  const ref = { tenant, id: outcome!.id };
  const [earlier] = await context.store.read([ref]);
  if (!earlier) throw notFound(ref);
  if (outcome!.kind === 'busy') throw documentBusy(earlier);
  return { kind: 'replayed', job: earlier };
}
