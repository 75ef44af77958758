import { apiActor } from '../core/actor.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { PawlError } from '../core/errors.ts';
import type { Job, JsonText } from '../core/job.ts';
import { birthPlaces, type Lifecycle } from '../core/lifecycle.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import type { Policy } from '../core/policy.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../store/insert.ts';
import type { TypeRecord } from '../records/job-types.ts';
import { afterWrite } from './after-write.ts';
import { allOf, knownAll } from './all-of.ts';
import type { EngineContext } from './context.ts';
import { checkEnqueue, type EnqueueRequest, hashOf, priorityOf } from './enqueue-request.ts';
import { submit } from './operate.ts';
import { refuseInput, takesInput } from './stored-definition.ts';
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
  const drafts = await draftAll(context, requests, options.caller);
  const jobs = drafts.filter((one): one is NewJob => !(one instanceof PawlError));
  const insert = options.insert ?? ((news) => context.store.insert(news));
  const outcomes = jobs.length === 0 ? [] : await insert(jobs);
  const born = jobs.map((job, index) => bornOf(job, outcomes[index]!));
  tell(context, born);
  // What is written by a transaction of the caller's is there when that is over.
  if (options.insert === undefined) context.bell.born(born);
  let next = 0;
  const answers = drafts.map((one, index): EnqueueResult | Promise<EnqueueResult> => {
    if (one instanceof PawlError) return { kind: 'refused', error: one };
    const at = next++;
    const outcome = outcomes[at]!;
    if (outcome.kind === 'created') return { kind: 'created', job: born[at]! };
    return answer(context, { job: one, outcome, isSubmitted: requests[index]!.submit ?? true });
  });
  const hasWritten = born.some((job) => job !== null);
  return knownAll(answers) ?? afterWrite(hasWritten, () => allOf(answers));
}

/** Null where the job was there before, or could not be. */
function bornOf(job: NewJob, outcome: InsertOutcome): Job | null {
  return outcome.kind === 'created' ? jobAtBirth(job, outcome.at) : null;
}

function tell({ observer }: EngineContext, jobs: readonly (Job | null)[]): void {
  if (observer === null) return;
  const born = jobs.filter((job) => job !== null);
  if (born.length > 0) observer.enqueued(born);
}

/**
 * One look for all jobs of a type rather than one for each, and a promise only for who has to wait:
 * in a large batch they would cost more than the rest.
 */
async function draftAll(
  context: EngineContext,
  requests: readonly EnqueueRequest[],
  caller: Caller,
): Promise<(NewJob | PawlError)[]> {
  const kinds = new Map<string, Kind | PawlError>();
  for (const { type } of requests) {
    if (kinds.has(type)) continue;
    const known = knownKind(context, type, caller);
    kinds.set(type, known ?? (await kindOf(context, type, caller).catch(refused)));
  }
  const drafts = requests.map((request) => {
    try {
      const made = admitted(context, request, { caller, kind: kinds.get(request.type)! });
      return made instanceof Promise ? made.catch(refused) : made;
    } catch (error) {
      return refused(error);
    }
  });
  return allOf(drafts);
}

/** A queue that is above its high watermark takes no more. */
function admitted(
  context: EngineContext,
  request: EnqueueRequest,
  { caller, kind }: { caller: Caller; kind: Kind | PawlError },
): NewJob | Promise<NewJob> {
  checkEnqueue(request);
  if (kind instanceof PawlError) throw kind;
  const job = draftOf(context, request, { caller, kind });
  const checked = context.inputs.check(request);
  if (checked !== null) return checked.then(() => letIn(context, job));
  return letIn(context, job);
}

function letIn(context: EngineContext, job: NewJob): NewJob | Promise<NewJob> {
  const wait = context.shedding.check(job.tenant, job.queue);
  return wait === null ? job : wait.then(() => job);
}

function refused(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  throw error;
}

/** What a type says of its jobs. */
interface Kind {
  readonly policyNumber: number;
  readonly policy: Policy;
  readonly lifecycle: Lifecycle;
  readonly takesInput: boolean;
}

async function kindOf(context: EngineContext, type: string, caller: Caller): Promise<Kind> {
  const { registry } = context;
  const record = await registry.type(caller.tenant, type);
  return kindBy(context, { record, policy: await registry.policy(record.policy) });
}

/** The same with no promise to wait for, of which a call of one job would make a handful. */
function knownKind(context: EngineContext, type: string, caller: Caller): Kind | PawlError | null {
  const known = context.registry.known(caller.tenant, type);
  try {
    return known === null ? null : kindBy(context, known);
  } catch (error) {
    return refused(error);
  }
}

function kindBy(
  { registry }: EngineContext,
  { record, policy }: { record: TypeRecord; policy: Policy },
): Kind {
  const lifecycle = registry.lifecycle(policy.lifecycle, policy.lifecycleVersion);
  return { policyNumber: record.policy, policy, lifecycle, takesInput: takesInput(record) };
}

/** The job that a request asks for, checked and complete but for what the database adds. */
export async function draftJob(
  context: EngineContext,
  request: EnqueueRequest,
  caller: Caller,
): Promise<NewJob> {
  checkEnqueue(request);
  const kind = await kindOf(context, request.type, caller);
  return draftOf(context, request, { caller, kind });
}

function draftOf(
  context: EngineContext,
  request: EnqueueRequest,
  { caller, kind }: { caller: Caller; kind: Kind },
): NewJob {
  const { policyNumber, policy, lifecycle } = kind;
  if (!kind.takesInput) refuseInput(request.input);
  const isSubmitted = request.submit ?? true;
  if (!isSubmitted && lifecycle.initial.phase !== 'held') {
    const message = `the lifecycle ${lifecycle.name} has no held state: leave \`submit\` out`;
    throw new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer: '/submit', message }] });
  }
  const { idempotencyKey } = request;
  const { input, metadata } = checkPayloads(request);
  return {
    tenant: caller.tenant,
    id: request.id ?? context.ids.next(),
    type: request.type,
    queue: request.queue ?? 'default',
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: policyNumber,
    maxAttempts: policy.retry.maxAttempts,
    places: birthPlaces(lifecycle, isSubmitted),
    priority: priorityOf(request.priority),
    runAt: request.runAt ?? null,
    deadlineAt: request.deadlineAt ?? null,
    input,
    metadata,
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
    actor: apiActor(caller.principal),
  };
}

/** A request's payloads as they are kept. Throws where one cannot be kept as it is. */
export function checkPayloads(request: Pick<EnqueueRequest, 'input' | 'metadata'>): {
  input: JsonText;
  metadata: JsonText | null;
} {
  const input = JSON.stringify(request.input ?? null);
  const metadata = request.metadata === undefined ? null : JSON.stringify(request.metadata);
  const refusal =
    payloadRefusal(PAYLOADS.input, input, '/input') ??
    (metadata === null ? null : payloadRefusal(PAYLOADS.metadata, metadata, '/metadata'));
  if (refusal !== null) throw refusal;
  return { input, metadata };
}

/** The job was there before, or another stands in its way. */
type Unborn = Exclude<InsertOutcome, { kind: 'created' }>;

async function answer(
  context: EngineContext,
  made: { job: NewJob; outcome: Unborn; isSubmitted: boolean },
): Promise<EnqueueResult> {
  const { job, outcome } = made;
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
