import { apiActor } from '../core/actor.ts';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import { birthPlaces } from '../core/lifecycle.ts';
import { type DeadLetter, replayedOp } from '../records/dead-letters.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../store/insert.ts';
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
  const { tenant } = request.caller;
  const ref = { tenant, id: request.deadLetterId };
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = await context.records.deadLetters.find(ref);
    if (found === null) throw new PawlError('NOT_FOUND', `there is no dead letter ${ref.id}`);
    const { letter } = found;
    if (letter.replayedAs !== null) {
      return { kind: 'replayed', job: await jobOf(context, tenant, letter.replayedAs) };
    }
    const [parent] = await context.store.read([{ tenant, id: letter.jobId }]);
    const job = await draftReplay(context, request, { letter, parent: parent ?? null });
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
    context.bell.born([made]);
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

async function draftReplay(
  context: EngineContext,
  request: ReplayRequest,
  origin: { letter: DeadLetter; parent: Job | null },
): Promise<NewJob> {
  const { letter, parent } = origin;
  const input = request.input === undefined ? letter.input : JSON.stringify(request.input);
  const refusal = payloadRefusal(PAYLOADS.input, input, '/input');
  if (refusal !== null) throw refusal;
  const { tenant, principal } = request.caller;
  const record = await context.registry.type(tenant, letter.type);
  if (request.input !== undefined && !takesInput(record)) refuseInput(request.input);
  const policy = await context.registry.policy(record.policy);
  const lifecycle = context.registry.lifecycle(policy.lifecycle, policy.lifecycleVersion);
  return {
    tenant,
    id: context.ids.next(),
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
    actor: apiActor(principal),
  };
}
