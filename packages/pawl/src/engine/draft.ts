import { apiActor } from '../core/actor.ts';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { JsonText } from '../core/job.ts';
import { requestedLabels } from '../core/job-labels.ts';
import { birthPlaces, type Lifecycle } from '../core/lifecycle.ts';
import { PAYLOADS, payloadText } from '../core/payload.ts';
import type { Policy } from '../core/policy.ts';
import type { NewJob } from '../store/insert.ts';
import type { TypeRecord } from '../records/job-types.ts';
import { allOf } from './all-of.ts';
import type { EngineContext } from './context.ts';
import type { Caller, EnqueueOptions } from './enqueue.ts';
import { checkEnqueue, type EnqueueRequest, hashOf, priorityOf } from './enqueue-request.ts';
import { hasOwnPolicy, ownPolicyOf } from './own-policy.ts';
import { documentOf } from './source-document.ts';
import { refuseInput, takesInput } from './stored-definition.ts';
import { uniqueClaimOf } from './unique.ts';

/** One job per (tenant, key) for this long. */
export const IDEMPOTENCY_WINDOW_MS = 86_400_000;

/**
 * One look for all jobs of a type rather than one for each, and a promise only for who has to wait:
 * in a large batch they would cost more than the rest.
 */
export async function draftAll(
  context: EngineContext,
  requests: readonly EnqueueRequest[],
  { caller, within }: EnqueueOptions,
): Promise<(NewJob | PawlError)[]> {
  const isPatient = within === undefined;
  const kinds = new Map<string, Kind | PawlError>();
  for (const { type } of requests) {
    if (kinds.has(type)) continue;
    const known = knownKind(context, type, { caller, isPatient });
    kinds.set(type, known ?? (await kindOf(context, type, caller).catch(refused)));
  }
  const now = requests.some(isRelative) ? await context.store.now() : null;
  const bases = new Map<string, PatientBasis | PawlError>();
  for (const [type, kind] of kinds) {
    bases.set(type, kind instanceof PawlError ? kind : { caller, kind, now, isPatient });
  }
  const drafts = requests.map((request) => {
    try {
      const made = admitted(context, request, bases.get(request.type)!);
      return made instanceof Promise ? made.catch(refused) : made;
    } catch (error) {
      return refused(error);
    }
  });
  return allOf(drafts);
}

/** Whether a request counts from the moment of its acceptance, which is the database's to tell. */
function isRelative({ delayMs, deadlineMs }: EnqueueRequest): boolean {
  return delayMs !== undefined || deadlineMs !== undefined;
}

/** What a draft is made from, besides the request. */
interface Basis {
  readonly caller: Caller;
  readonly kind: Kind;
  /** Null where nothing is counted from it. */
  readonly now: Instant | null;
  /** Of a request that names none. */
  readonly documentId?: string | null;
}

/** `isPatient`: whether a queue's level may be waited for. */
type PatientBasis = Basis & { readonly isPatient: boolean };

function admitted(
  context: EngineContext,
  request: EnqueueRequest,
  by: PatientBasis | PawlError,
): NewJob | Promise<NewJob> {
  checkEnqueue(request);
  if (by instanceof PawlError) throw by;
  if (!hasOwnPolicy(request)) return letIn(context, request, by);
  const own = ownKind(context, request, by.kind);
  return own.then((kind) => letIn(context, request, { ...by, kind }));
}

async function ownKind(context: EngineContext, request: EnqueueRequest, kind: Kind): Promise<Kind> {
  const policy = ownPolicyOf(kind, request);
  return { ...kind, policy, policyNumber: await context.registry.numberOf(policy) };
}

function letIn(
  context: EngineContext,
  request: EnqueueRequest,
  by: PatientBasis,
): NewJob | Promise<NewJob> {
  const { tenant } = by.caller;
  const document = documentOf(context, request, { tenant, policy: by.kind.policy });
  const checked = context.inputs.check(request);
  if (checked === null && document === null) return pass(context, request, by);
  return Promise.all([document, checked]).then(([documentId]) =>
    pass(context, request, { ...by, documentId }),
  );
}

/** A queue that is above its high watermark takes no more. */
function pass(
  context: EngineContext,
  request: EnqueueRequest,
  by: PatientBasis,
): NewJob | Promise<NewJob> {
  const job = draftOf(context, request, by);
  const wait = context.shedding.check(job.tenant, job.queue, by.isPatient);
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
function knownKind(
  context: EngineContext,
  type: string,
  { caller, isPatient }: { caller: Caller; isPatient: boolean },
): Kind | PawlError | null {
  const { registry } = context;
  const { tenant } = caller;
  const known = isPatient ? registry.known(tenant, type) : registry.knownOnce(tenant, type);
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
  const type = await kindOf(context, request.type, caller);
  const kind = hasOwnPolicy(request) ? await ownKind(context, request, type) : type;
  const now = isRelative(request) ? await context.store.now() : null;
  const { tenant } = caller;
  const documentId = await documentOf(context, request, { tenant, policy: kind.policy });
  return draftOf(context, request, { caller, kind, now, documentId });
}

function draftOf(
  context: EngineContext,
  request: EnqueueRequest,
  { caller, kind, now, documentId = null }: Basis,
): NewJob {
  const { policyNumber, policy, lifecycle } = kind;
  if (!kind.takesInput) refuseInput(request.input);
  const isSubmitted = request.submit ?? true;
  if (!isSubmitted && lifecycle.initial.phase !== 'held') {
    const message = `the lifecycle ${lifecycle.name} has no held state: leave it out`;
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
    runAt: request.runAt ?? after(now, request.delayMs),
    deadlineAt: request.deadlineAt ?? after(now, request.deadlineMs),
    input,
    metadata,
    ...requestedLabels(request),
    traceId: request.traceId ?? null,
    requestedBy: caller.principal,
    parentKind: request.parentJobId === undefined ? null : (request.parentKind ?? 'caller'),
    documentId: request.documentId ?? documentId,
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

/** A delay of nothing is none: the job is claimable at once. */
function after(now: Instant | null, spanMs: number | undefined): Instant | null {
  return spanMs === undefined || spanMs === 0 ? null : now! + spanMs;
}

/** A request's payloads as they are kept. Throws where one cannot be kept as it is. */
export function checkPayloads(request: Pick<EnqueueRequest, 'input' | 'inputJson' | 'metadata'>): {
  input: JsonText;
  metadata: JsonText | null;
} {
  const { input, inputJson, metadata } = request;
  return {
    input: payloadText(PAYLOADS.input, input, '/input', inputJson),
    metadata: metadata === undefined ? null : payloadText(PAYLOADS.metadata, metadata, '/metadata'),
  };
}
