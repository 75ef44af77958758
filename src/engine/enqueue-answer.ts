import { canonicalJson } from '../core/canonical-json.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import type { EnqueueResult } from './enqueue.ts';
import { submit } from './operate.ts';
import { notFound } from './transition.ts';

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
      return read ? submitted(context, found, job) : { kind: 'replayed', job: found };
    case 'exists':
      if (!read || !isSamePayload(found, job)) {
        return { kind: 'refused', error: alreadyExists(job.id) };
      }
      return isHeld(job) ? { kind: 'replayed', job: found } : submitted(context, found, job);
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
 * The first call may have died between storing the job and submitting it, so a replayed key
 * finishes its work. Who repeats the wish for a held job, and wants it to stay so, names it by id.
 */
async function submitted(
  context: EngineContext,
  found: Job,
  { actor }: NewJob,
): Promise<EnqueueResult> {
  if (found.phase !== 'held') return { kind: 'replayed', job: found };
  return { kind: 'replayed', job: await submit(context, found, actor) };
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
