import { canonicalJson } from '../core/canonical-json.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { InsertOutcome, NewJob } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import { submit } from './operate.ts';
import { notFound } from './transition.ts';

export type EnqueueResult =
  | { readonly kind: 'created' | 'replayed'; readonly job: Job }
  /** By its unique key the wish is already that job, as it now stands. */
  | { readonly kind: 'throttled' | 'debounced' | 'replaced'; readonly job: Job }
  | { readonly kind: 'refused'; readonly error: PawlError };

/** The job was there before, or another stands in its way. */
type Unborn = Exclude<InsertOutcome, { kind: 'created' }>;

/** What becomes of a request that has made no new job. */
export async function answer(
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
      return replayed(context, found, made);
    case 'exists':
      return repeatedById(found, made);
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
 * The key's first request may have died between storing the job and submitting it (P10), so its
 * repeat finishes the work. Only a request that submits comes here with the key of one: `submit`
 * is part of what a key's requests are compared by.
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

/** An id has no stored request to compare with, so what is held stays so: it may be by design. */
function repeatedById(
  found: Job,
  { job, isSubmitted }: { job: NewJob; isSubmitted: boolean },
): EnqueueResult {
  if (!isSamePayload(found, job)) return { kind: 'refused', error: alreadyExists(job.id) };
  if (found.phase === 'held' && isSubmitted) {
    return { kind: 'refused', error: alreadyHeld(job.id) };
  }
  return { kind: 'replayed', job: found };
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

function alreadyHeld(id: string): PawlError {
  return new PawlError(
    'ALREADY_EXISTS',
    `job ${id} is held, and a request with its id does not release it: POST /v1/jobs/${id}/submit`,
  );
}

function keyReused(job: NewJob, found: Job): PawlError {
  return new PawlError(
    'IDEMPOTENCY_CONFLICT',
    `the idempotency key was used for job ${found.id} with another payload or another \`submit\``,
    { details: { jobId: found.id, key: job.idempotency?.key } },
  );
}
