import { canonicalJson } from '../core/canonical-json.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import type { EnqueueResult } from './enqueue.ts';
import { submit } from './operate.ts';
import { notFound } from './refusals.ts';

/** The job was there before, or another stands in its way. */
type Unborn = Exclude<InsertOutcome, { kind: 'created' }>;

/**
 * `isUnseen`: the job that was found may be one of this very call, or of the caller's transaction,
 * which nobody can read yet.
 */
export async function answerTo(
  context: EngineContext,
  made: { job: NewJob; outcome: Unborn; isUnseen: boolean },
): Promise<EnqueueResult> {
  const { job, outcome, isUnseen } = made;
  const ref = { tenant: job.tenant, id: outcome.id };
  const [read] = await context.store.read([ref]);
  if (!read && !isUnseen) return { kind: 'refused', error: notFound(ref) };
  const found = read ?? jobAtBirth({ ...job, id: ref.id }, context.clock.now());
  switch (outcome.kind) {
    case 'replayed':
      return read ? repeatedByKey(context, found, job) : { kind: 'replayed', job: found };
    case 'exists':
      return read ? repeatedById(found, job) : { kind: 'refused', error: alreadyExists(job.id) };
    case 'conflict':
      return { kind: 'refused', error: keyReused(job, found) };
    case 'busy':
      return { kind: 'refused', error: documentBusy(found) };
    case 'throttled':
    case 'debounced':
    case 'replaced':
      context.live.changed([ref]);
      return { kind: outcome.kind, job: found };
  }
}

function isHeld({ places }: NewJob): boolean {
  return places.at(-1)!.phase === 'held';
}

/**
 * The key's first request may have died between storing the job and submitting it (P10), so its
 * repeat finishes the work. Only a request that submits comes here with the key of one: `submit`
 * is part of what a key's requests are compared by.
 */
async function repeatedByKey(
  context: EngineContext,
  found: Job,
  job: NewJob,
): Promise<EnqueueResult> {
  if (found.phase !== 'held' || isHeld(job)) return { kind: 'replayed', job: found };
  return { kind: 'replayed', job: await submit(context, found, job.actor) };
}

/** An id has no stored request to compare with, so what is held stays so: it may be by design. */
function repeatedById(found: Job, job: NewJob): EnqueueResult {
  if (!isSamePayload(found, job)) return { kind: 'refused', error: alreadyExists(job.id) };
  if (found.phase === 'held' && !isHeld(job)) {
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
