import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { replayedOp } from '../records/dead-letters.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import { draftAgain } from './draft-again.ts';
import type { Caller } from './enqueue.ts';
import { documentBusy } from './enqueue-answer.ts';
import { notFound } from './refusals.ts';

export interface ReplayRequest {
  readonly deadLetterId: string;
  readonly caller: Caller;
  /** Replaces the input of the dead job. */
  readonly input?: unknown;
  /** Not claimable before this time: how a mass of replays is spread. */
  readonly runAt?: Instant;
}

/** Races are lost to somebody who has replayed it, and then there is nothing left to do. */
const ROUNDS_MAX = 8;

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
  const ref = { tenant, id: deadLetterId };
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = await context.records.deadLetters.find(ref);
    if (found === null) throw new PawlError('NOT_FOUND', `there is no dead letter ${ref.id}`);
    const { letter } = found;
    if (letter.replayedAs !== null) {
      return { kind: 'replayed', job: await jobOf(context, tenant, letter.replayedAs) };
    }
    const [dead] = await context.store.read([{ tenant, id: letter.jobId }]);
    const { jobId: id, type, correlationId, input } = letter;
    const parent = { ...dead, id, type, correlationId, input };
    const job = await draftAgain(context, { ...again, parent, kind: 'replay' });
    const answer = await context.store.insert([job], { with: [replayedOp(found, job.id)] });
    // Somebody else has replayed or erased it meanwhile.
    if (answer.kind === 'refused') continue;
    return replayed(context, job, answer.outcomes[0]!);
  }
  throw new PawlError('STORE_UNAVAILABLE', `dead letter ${ref.id} changed too often; try again`);
}

async function replayed(
  context: EngineContext,
  job: NewJob,
  outcome: InsertOutcome,
): Promise<{ kind: 'created' | 'replayed'; job: Job }> {
  if (outcome.kind === 'created') {
    const made = jobAtBirth(job, outcome.at);
    context.observer?.enqueued([made]);
    context.wakeSignal.born([made]);
    context.live.born([made]);
    return { kind: 'created', job: made };
  }
  const earlier = await jobOf(context, job.tenant, outcome.id);
  if (outcome.kind === 'busy') throw documentBusy(earlier);
  return { kind: 'replayed', job: earlier };
}

async function jobOf({ store }: EngineContext, tenant: string, id: string): Promise<Job> {
  const [job] = await store.read([{ tenant, id }]);
  if (!job) throw notFound({ tenant, id });
  return job;
}
