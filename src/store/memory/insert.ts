import type { Instant } from '../../core/clock.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../insert.ts';
import { StoreError } from '../store-error.ts';
import { deepFreeze, eventOf, jsonText, keyOf, type Tables } from './tables.ts';

/** One item after the other: each sees what those before it have written. */
export function insertJobs(tables: Tables, jobs: readonly NewJob[]): InsertOutcome[] {
  const at = tables.clock.now();
  return jobs.map((job) => insertOne(tables, job, at));
}

function insertOne(tables: Tables, job: NewJob, at: Instant): InsertOutcome {
  const obstacle = keyHolder(tables, job, at) ?? idHolder(tables, job) ?? replayOf(tables, job);
  if (obstacle !== null) return obstacle;
  writeBirth(tables, job, at);
  if (job.idempotency !== null) {
    const { key, payloadHash, windowMs } = job.idempotency;
    const expiresAt = at + windowMs;
    tables.keys.set(keyOf(job.tenant, key), { id: job.id, payloadHash, expiresAt });
  }
  return { kind: 'created', at };
}

function keyHolder(tables: Tables, job: NewJob, now: Instant): InsertOutcome | null {
  if (job.idempotency === null) return null;
  const { key, payloadHash } = job.idempotency;
  const held = tables.keys.get(keyOf(job.tenant, key));
  if (held === undefined || now >= held.expiresAt) return null;
  if (tables.rowOf({ tenant: job.tenant, id: held.id }) === undefined) return null;
  return { kind: held.payloadHash === payloadHash ? 'replayed' : 'conflict', id: held.id };
}

function idHolder(tables: Tables, job: NewJob): InsertOutcome | null {
  return tables.rowOf(job) === undefined ? null : { kind: 'exists', id: job.id };
}

function replayOf(tables: Tables, job: NewJob): InsertOutcome | null {
  if (job.replayOf === null) return null;
  const key = keyOf(job.tenant, job.replayOf);
  const letter = tables.deadLetters.get(key);
  if (letter === undefined) return null;
  if (letter.replayedAs !== null) return { kind: 'alreadyReplayed', id: letter.replayedAs };
  tables.deadLetters.set(key, deepFreeze({ ...letter, replayedAs: job.id }));
  return null;
}

function writeBirth(tables: Tables, job: NewJob, at: Instant): void {
  checkBirth(tables, job);
  const born = deepFreeze(jobAtBirth(job, at));
  tables.jobs.set(keyOf(job.tenant, job.id), {
    job: born,
    birth: tables.jobs.size,
    isOpen: born.phase === 'ready' && born.runAt <= at,
    leaseEnd: null,
    claimRequest: null,
    notes: 0,
  });
  job.places.forEach((place, index) => {
    tables.log.append(
      eventOf(born, {
        version: index + 1,
        type: index === 0 ? 'job_created' : 'job_queued',
        at,
        from: job.places[index - 1]?.state ?? null,
        to: place.state,
        phase: place.phase,
        actor: job.actor,
      }),
    );
  });
}

function checkBirth(tables: Tables, job: NewJob): void {
  tables.lifecycleOf(job);
  tables.policyOf(job.policy);
  jsonText(job.input);
  if (job.metadata !== null) jsonText(job.metadata);
  if (job.places.length === 0) throw new StoreError('refused', `job ${job.id} is born nowhere`);
}
