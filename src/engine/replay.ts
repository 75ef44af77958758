import { apiActor } from '../core/actor.ts';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import { birthPlaces } from '../core/lifecycle.ts';
import type { DeadLetter } from '../store/dead-letter.ts';
import { jobAtBirth, type NewJob } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import { type Caller, documentBusy } from './enqueue.ts';
import { refuseInput, takesInput } from './stored-definition.ts';
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
  const { tenant } = request.caller;
  const found = await context.store.deadLetters({ tenant, id: request.deadLetterId, limit: 1 });
  const letter = found[0];
  if (letter === undefined) {
    throw new PawlError('NOT_FOUND', `there is no dead letter ${request.deadLetterId}`);
  }
  const [parent] = await context.store.read([{ tenant, id: letter.jobId }]);
  const job = await draftReplay(context, request, { letter, parent: parent ?? null });
  const [outcome] = await context.store.insert([job]);
  if (outcome!.kind === 'created') {
    const made = jobAtBirth(job, outcome!.at);
    context.observer?.enqueued([made]);
    context.bell.born([made]);
    return { kind: 'created', job: made };
  }
  const ref = { tenant, id: outcome!.id };
  const [earlier] = await context.store.read([ref]);
  if (!earlier) throw notFound(ref);
  if (outcome!.kind === 'busy') throw documentBusy(earlier);
  return { kind: 'replayed', job: earlier };
}

async function draftReplay(
  context: EngineContext,
  request: ReplayRequest,
  origin: { letter: DeadLetter; parent: Job | null },
): Promise<NewJob> {
  const { letter, parent } = origin;
  const given = request.input === undefined ? null : JSON.stringify(request.input);
  const refusal = given === null ? null : payloadRefusal(PAYLOADS.input, given, '/input');
  if (refusal !== null) throw refusal;
  const { tenant, principal } = request.caller;
  const record = await context.registry.type(tenant, letter.type);
  if (request.input !== undefined && !takesInput(record)) refuseInput(request.input);
  const policy = await context.registry.policy(record.policy);
  const lifecycle = context.registry.lifecycle(policy.lifecycle, policy.lifecycleVersion);
  const id = context.ids.next();
  const input =
    given === null
      ? await context.largeInputs.copied({ tenant, id }, { ...letter, id: letter.jobId })
      : await context.largeInputs.small({ tenant, id }, given);
  return {
    tenant,
    id,
    type: letter.type,
    queue: parent?.queue ?? 'default',
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: record.policy,
    maxAttempts: policy.retry.maxAttempts,
    places: birthPlaces(lifecycle, true),
    priority: parent?.priority ?? 0,
    runAt: request.runAt ?? null,
    deadlineAt: null,
    input,
    metadata: parent?.metadata ?? null,
    correlationId: letter.correlationId ?? letter.jobId,
    traceId: parent?.traceId ?? null,
    requestedBy: principal,
    parentJobId: letter.jobId,
    documentId: parent?.documentId ?? null,
    idempotency: null,
    replayOf: letter.id,
    actor: apiActor(principal),
  };
}
