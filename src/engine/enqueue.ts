import { apiActor } from '../core/actor.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { birthPlaces } from '../core/lifecycle.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../store/insert.ts';
import { afterWrite } from './after-write.ts';
import type { EngineContext } from './context.ts';
import { checkEnqueue, type EnqueueRequest, hashOf, priorityOf } from './enqueue-request.ts';
import { submit } from './operate.ts';
import { notFound } from './transition.ts';
import { uniqueClaimOf } from './unique.ts';

/** On whose behalf: taken from the credential, never from the request. */
export interface Caller {
  readonly tenant: string;
  readonly principal: string | null;
}

export type EnqueueResult =
  | { readonly kind: 'created' | 'replayed'; readonly job: Job }
  /** By its unique key the wish is already that job, as it now stands. */
  | { readonly kind: 'throttled' | 'debounced' | 'replaced'; readonly job: Job }
  | { readonly kind: 'refused'; readonly error: PawlError };

export interface EnqueueOptions {
  readonly caller: Caller;
  /** How jobs are written: a store's `within(client)` to take part in the caller's transaction. */
  readonly insert?: (jobs: readonly NewJob[]) => Promise<InsertOutcome[]>;
}

/** One job per (tenant, key) for this long. */
export const IDEMPOTENCY_WINDOW_MS = 86_400_000;

/** Accepts jobs, one result an item: a bad one is refused by itself and spoils no other. */
export async function enqueue(
  context: EngineContext,
  requests: readonly EnqueueRequest[],
  options: EnqueueOptions,
): Promise<EnqueueResult[]> {
  const drafts = await Promise.all(
    requests.map((request) => admitted(context, request, options.caller).catch(refused)),
  );
  const jobs = drafts.flatMap((one) => (one instanceof PawlError ? [] : [one]));
  const insert = options.insert ?? ((news) => context.store.insert(news));
  const outcomes = jobs.length === 0 ? [] : await insert(jobs);
  tell(context, jobs, outcomes);
  let next = 0;
  const answers = drafts.map(async (one, index): Promise<EnqueueResult> => {
    if (one instanceof PawlError) return { kind: 'refused', error: one };
    const outcome = outcomes[next++]!;
    return answer(context, { job: one, outcome, isSubmitted: requests[index]!.submit ?? true });
  });
  const hasWritten = outcomes.some(({ kind }) => kind === 'created');
  return afterWrite(hasWritten, () => Promise.all(answers));
}

function tell(
  { observer }: EngineContext,
  jobs: readonly NewJob[],
  outcomes: readonly InsertOutcome[],
): void {
  if (observer === null) return;
  const born = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'created' ? [jobAtBirth(jobs[index]!, outcome.at)] : [],
  );
  if (born.length > 0) observer.enqueued(born);
}

/** A queue that is above its high watermark takes no more. */
async function admitted(
  context: EngineContext,
  request: EnqueueRequest,
  caller: Caller,
): Promise<NewJob> {
  const job = await draftJob(context, request, caller);
  await context.inputs.check(request);
  await context.shedding.check(job.tenant, job.queue);
  return job;
}

function refused(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  throw error;
}

/** The job that a request asks for, checked and complete but for what the database adds. */
export async function draftJob(
  context: EngineContext,
  request: EnqueueRequest,
  caller: Caller,
): Promise<NewJob> {
  checkEnqueue(request);
  const record = await context.registry.type(caller.tenant, request.type);
  const policy = await context.registry.policy(record.policy);
  const lifecycle = context.registry.lifecycle(policy.lifecycle, policy.lifecycleVersion);
  const isSubmitted = request.submit ?? true;
  if (!isSubmitted && lifecycle.initial.phase !== 'held') {
    const message = `the lifecycle ${lifecycle.name} has no held state: leave \`submit\` out`;
    throw new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer: '/submit', message }] });
  }
  const { idempotencyKey } = request;
  return {
    tenant: caller.tenant,
    id: request.id ?? context.ids.next(),
    type: request.type,
    queue: request.queue ?? 'default',
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: record.policy,
    maxAttempts: policy.retry.maxAttempts,
    places: birthPlaces(lifecycle, isSubmitted),
    priority: priorityOf(request.priority),
    runAt: request.runAt ?? null,
    deadlineAt: request.deadlineAt ?? null,
    input: JSON.stringify(request.input ?? null),
    metadata: request.metadata === undefined ? null : JSON.stringify(request.metadata),
    correlationId: request.correlationId ?? null,
    traceId: request.traceId ?? null,
    requestedBy: caller.principal,
    parentJobId: request.parentJobId ?? null,
    documentId: request.documentId ?? null,
    idempotency:
      idempotencyKey === undefined
        ? null
        : {
            key: idempotencyKey,
            payloadHash: hashOf(request),
            windowMs: IDEMPOTENCY_WINDOW_MS,
          },
    ...(request.unique === undefined ? {} : { unique: uniqueClaimOf(request.unique) }),
    replayOf: null,
    actor: apiActor(caller.principal),
  };
}

async function answer(
  context: EngineContext,
  made: { job: NewJob; outcome: InsertOutcome; isSubmitted: boolean },
): Promise<EnqueueResult> {
  const { job, outcome } = made;
  if (outcome.kind === 'created') return { kind: 'created', job: jobAtBirth(job, outcome.at) };
  const [found] = await context.store.read([{ tenant: job.tenant, id: outcome.id }]);
  if (found === null || found === undefined) {
    return { kind: 'refused', error: notFound({ tenant: job.tenant, id: outcome.id }) };
  }
  switch (outcome.kind) {
    case 'replayed':
      return replayed(context, found, { job, isSubmitted: true });
    case 'exists':
      return isSamePayload(found, job)
        ? replayed(context, found, made)
        : { kind: 'refused', error: alreadyExists(job.id) };
    case 'conflict':
      return { kind: 'refused', error: keyReused(job, found) };
    case 'busy':
      return { kind: 'refused', error: documentBusy(found) };
    case 'alreadyReplayed':
      return { kind: 'replayed', job: found };
    case 'throttled':
    case 'debounced':
    case 'replaced':
      return { kind: outcome.kind, job: found };
  }
}

/**
 * The first call may have died between storing the job and submitting it, so a replayed key
 * finishes its work. Who repeats the wish for a held job, and wants it to stay so, names it by id.
 */
async function replayed(
  context: EngineContext,
  found: Job,
  made: { job: NewJob; isSubmitted: boolean },
): Promise<EnqueueResult> {
  if (found.phase !== 'held' || !made.isSubmitted) return { kind: 'replayed', job: found };
  const job = await submit(context, found, made.job.actor);
  return { kind: 'replayed', job };
}

function isSamePayload(found: Job, job: NewJob): boolean {
  const inputs = [found.input, job.input].map((text) => canonicalJson(JSON.parse(text)));
  return found.type === job.type && inputs[0] === inputs[1];
}

/** One active job per document: the answer names it. */
export function documentBusy(active: Job): PawlError {
  return new PawlError(
    'CONCURRENCY_CONFLICT',
    `job ${active.id} of type "${active.type}" is active for document ${active.documentId}`,
    { details: { jobId: active.id, state: active.state, documentId: active.documentId } },
  );
}

function alreadyExists(id: string): PawlError {
  return new PawlError('ALREADY_EXISTS', `the id ${id} is taken by a job with another payload`);
}

function keyReused(job: NewJob, found: Job): PawlError {
  return new PawlError(
    'IDEMPOTENCY_CONFLICT',
    `the idempotency key was used for job ${found.id} with another payload`,
    { details: { jobId: found.id, key: job.idempotency?.key } },
  );
}
