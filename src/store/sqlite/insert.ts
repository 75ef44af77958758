import { type LimitKeys, limitKeysOf } from '../../core/limits.ts';
import type { Place } from '../../core/lifecycle.ts';
import { rankOf } from '../../core/phase.ts';
import { firstKeyOf, GATE, gateAfter, type GateKeys } from '../gate.ts';
import type { InsertOutcome, NewJob } from '../insert.ts';
import { StoreError } from '../store-error.ts';
import { uniqueRunAt } from '../unique.ts';
import { gateKeysOf, type KeyColumns, TouchedKeys } from './admission.ts';
import type { Standing } from './event-log.ts';
import { bytesToFind, bytesToStore, uuidOfBytes } from './row.ts';
import { joinUnique, keepUnique } from './unique.ts';
import type { Work } from './work.ts';

const HAS_JOB = 'SELECT 1 FROM jobs WHERE tenant_id = ? AND id = ?';
const KEY_HOLDER = `SELECT payload_hash, job_id FROM idempotency
  WHERE tenant_id = ?1 AND key = ?2 AND expires_at > ?3`;
const KEEP_KEY = 'REPLACE INTO idempotency VALUES (?, ?, ?, ?, ?, ?)';
const LETTER = 'SELECT replayed_as FROM dead_letters WHERE tenant_id = ? AND id = ?';
const REPLAYED = 'UPDATE dead_letters SET replayed_as = ? WHERE tenant_id = ? AND id = ?';

const ACTIVE = `SELECT id FROM jobs
  WHERE active_key = ? AND active_key IS NOT NULL AND phase < 5`;

const JOB = `INSERT INTO jobs (id, tenant_id, lifecycle, policy, type, queue, state, phase,
    epoch, version, gate, limit_key, user_key, organisation_key, active_key, priority,
    run_at, deadline_at, attempts, max_attempts, retry_count,
    progress, notes, created_at, updated_at, correlation_id, trace_id, requested_by,
    parent_job_id, document_id, metadata, input)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, 0, 0,
    ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** An item with the stored forms of its names. */
interface Newcomer {
  readonly job: NewJob;
  readonly tenantId: number;
  readonly id: Uint8Array;
  readonly limits: LimitKeys;
}

/** One item after the other: each sees what those before it have written. */
export function insertJobs(work: Work, jobs: readonly NewJob[]): InsertOutcome[] {
  const keys = new TouchedKeys();
  const outcomes = jobs.map((job) => {
    const tenantId = work.registry.makeTenant(job.tenant);
    const limits = limitKeysOf(work.registry.policy(job.policy).limits, job, tenantId);
    keys.touch(firstKeyOf(gateKeysOf(columnsOf(limits))));
    return insertOne(work, { job, tenantId, id: bytesToStore(job.id), limits });
  });
  keys.admit(work);
  return outcomes;
}

function insertOne(work: Work, newcomer: Newcomer): InsertOutcome {
  const { job, tenantId } = newcomer;
  const repeated = keyHolder(work, newcomer);
  if (repeated !== null) return repeated;
  const joined = joinUnique(work, job, tenantId);
  if (joined !== null) {
    keepKey(work, newcomer, bytesToStore(joined.id));
    return joined;
  }
  const obstacle =
    idHolder(work, newcomer) ?? letterHolder(work, newcomer) ?? documentHolder(work, newcomer);
  if (obstacle !== null) return obstacle;
  markReplayed(work, newcomer);
  writeBirth(work, newcomer);
  keepUnique(work, job, newcomer);
  keepKey(work, newcomer, newcomer.id);
  return { kind: 'created', at: work.now };
}

function keepKey({ connection, now }: Work, { job, tenantId }: Newcomer, id: Uint8Array): void {
  if (job.idempotency === null) return;
  const { key, payloadHash, windowMs } = job.idempotency;
  connection.sql(KEEP_KEY).run(tenantId, key, payloadHash, id, now, now + windowMs);
}

function keyHolder({ connection, now }: Work, { job, tenantId }: Newcomer): InsertOutcome | null {
  if (job.idempotency === null) return null;
  const { key, payloadHash } = job.idempotency;
  const holder = connection.sql(KEY_HOLDER).get(tenantId, key, now);
  if (holder === undefined) return null;
  const id = holder['job_id'] as Uint8Array;
  if (connection.sql(HAS_JOB).get(tenantId, id) === undefined) return null;
  const isSame = holder['payload_hash'] === payloadHash;
  return { kind: isSame ? 'replayed' : 'conflict', id: uuidOfBytes(id) };
}

function idHolder({ connection }: Work, { job, tenantId, id }: Newcomer): InsertOutcome | null {
  const isTaken = connection.sql(HAS_JOB).get(tenantId, id) !== undefined;
  return isTaken ? { kind: 'exists', id: job.id } : null;
}

function letterHolder({ connection }: Work, newcomer: Newcomer): InsertOutcome | null {
  const { job, tenantId } = newcomer;
  const letterId = job.replayOf === null ? null : bytesToFind(job.replayOf);
  if (letterId === null) return null;
  const letter = connection.sql(LETTER).get(tenantId, letterId);
  if (letter === undefined) return null;
  const replayedAs = letter['replayed_as'] as Uint8Array | null;
  return replayedAs === null ? null : { kind: 'alreadyReplayed', id: uuidOfBytes(replayedAs) };
}

function markReplayed({ connection }: Work, { job, tenantId, id }: Newcomer): void {
  const letterId = job.replayOf === null ? null : bytesToFind(job.replayOf);
  if (letterId !== null) connection.sql(REPLAYED).run(id, tenantId, letterId);
}

function columnsOf({ running, user, organisation }: LimitKeys): KeyColumns {
  return { limit_key: running, user_key: user, organisation_key: organisation };
}

function documentHolder(work: Work, newcomer: Newcomer): InsertOutcome | null {
  const { active } = newcomer.limits;
  if (active === null) return null;
  const holder = work.connection.sql(ACTIVE).get(active);
  return holder === undefined
    ? null
    : { kind: 'busy', id: uuidOfBytes(holder['id'] as Uint8Array) };
}

function writeBirth(work: Work, newcomer: Newcomer): void {
  const { job, tenantId, id } = newcomer;
  const { connection, registry, now } = work;
  const place = job.places.at(-1);
  if (place === undefined) throw new StoreError('refused', `job ${job.id} is born nowhere`);
  const { running, active, user, organisation } = newcomer.limits;
  const runAt = job.runAt ?? uniqueRunAt(job.unique, now);
  const gate = gateAtBirth(place, runAt <= now, gateKeysOf(columnsOf(newcomer.limits)));
  const { lastInsertRowid } = connection
    .sql(JOB)
    .run(
      id,
      tenantId,
      registry.lifecycleId(job.lifecycle, job.lifecycleVersion),
      job.policy,
      job.type,
      job.queue,
      place.state,
      rankOf(place.phase),
      job.places.length,
      gate,
      running,
      user,
      organisation,
      active,
      job.priority,
      runAt,
      job.deadlineAt,
      job.maxAttempts,
      now,
      now,
      job.correlationId,
      job.traceId,
      job.requestedBy,
      job.parentJobId === null ? null : bytesToStore(job.parentJobId),
      job.documentId,
      job.metadata,
      job.input,
    );
  writeFirstEvents(work, job, Number(lastInsertRowid));
}

function gateAtBirth(place: Place, isDue: boolean, keys: GateKeys): number | null {
  if (place.phase !== 'ready') return null;
  return isDue ? gateAfter(GATE.open, keys) : GATE.timed;
}

function writeFirstEvents({ log, now }: Work, job: NewJob, seq: number): void {
  job.places.forEach((place, index) => {
    const standing: Standing = {
      seq,
      state: place.state,
      phase: rankOf(place.phase),
      epoch: 1,
      version: index + 1,
      attempts: 0,
      retry_count: 0,
      progress: 0,
      stage: null,
      message: null,
    };
    log.event(standing, {
      type: index === 0 ? 'job_created' : 'job_queued',
      at: now,
      from: job.places[index - 1]?.state ?? null,
      actor: job.actor,
      cause: null,
      payload: null,
    });
  });
}
