import { limitKeysOf } from '../../core/limits.ts';
import { firstKeyOf } from '../gate.ts';
import {
  type InsertOptions,
  type InsertOutcome,
  type InsertWithOutcome,
  isRefusal,
  type NewJob,
} from '../insert.ts';
import { changesAfterInsert, planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { gateKeysOf, TouchedKeys } from './admission.ts';
import { columnsOf, type Newcomer, partsOf, writeBirths } from './birth.ts';
import { saveRecords, writeContext } from './records.ts';
import { bytesToStore, uuidOfBytes } from './row.ts';
import { joinUnique, keepUnique } from './unique.ts';
import type { Work } from './work.ts';

const HAS_JOB = 'SELECT 1 FROM jobs WHERE tenant_id = ? AND id = ?';
const KEY_HOLDER = `SELECT payload_hash, job_id FROM idempotency
  WHERE tenant_id = ?1 AND key = ?2 AND expires_at > ?3`;
const KEEP_KEY = 'REPLACE INTO idempotency VALUES (?, ?, ?, ?, ?, ?)';

const ACTIVE = `SELECT id FROM jobs
  WHERE active_key = ? AND active_key IS NOT NULL AND phase < 5`;

export function insertJobs(
  work: Work,
  jobs: readonly NewJob[],
  { isWhole = false }: InsertOptions = {},
): InsertOutcome[] {
  return isWhole ? insertWhole(work, jobs) : insertEach(work, jobs);
}

/** Nothing is written where one item is refused. */
function insertWhole(work: Work, jobs: readonly NewJob[]): InsertOutcome[] {
  const { connection, log, registry } = work;
  connection.sql('SAVEPOINT whole').run();
  const outcomes = insertEach(work, jobs);
  if (outcomes.some(isRefusal)) {
    log.discard();
    registry.forget();
    connection.sql('ROLLBACK TO whole').run();
  }
  connection.sql('RELEASE whole').run();
  return outcomes;
}

/** As if one item came after the other: each sees what those before it have written. */
function insertEach(work: Work, jobs: readonly NewJob[]): InsertOutcome[] {
  const keys = new TouchedKeys();
  const newcomers = jobs.map((job) => newcomerOf(work, job));
  const outcomes: InsertOutcome[] = [];
  let plain: Newcomer[] = [];
  for (const newcomer of newcomers) {
    keys.touch(firstKeyOf(gateKeysOf(columnsOf(newcomer.limits))));
    if (isPlain(newcomer)) {
      plain.push(newcomer);
      continue;
    }
    outcomes.push(...insertPlain(work, plain), insertOne(work, newcomer));
    plain = [];
  }
  outcomes.push(...insertPlain(work, plain));
  keys.admit(work);
  return outcomes;
}

/** Jobs and record ops in one transaction. */
export function insertWith(
  work: Work,
  jobs: readonly NewJob[],
  ops: readonly RecordOp[],
): InsertWithOutcome {
  const context = writeContext(work);
  const plan = planWrite(ops, context);
  if (plan.kind === 'refused') return plan;
  const outcomes = insertJobs(work, jobs);
  saveRecords(work, changesAfterInsert(ops, outcomes, context));
  return { kind: 'inserted', at: context.at, outcomes };
}

function newcomerOf({ registry }: Work, job: NewJob): Newcomer {
  const tenantId = registry.makeTenant(job.tenant);
  const limits = limitKeysOf(registry.policy(job.policy).limits, job, tenantId);
  return { job, tenantId, id: bytesToStore(job.id), limits };
}

/** Nothing but its own id can stand in its way. */
function isPlain({ job, limits }: Newcomer): boolean {
  const { idempotency, unique } = job;
  return idempotency === null && unique === undefined && limits.active === null;
}

/** Many at once; where the database refuses one of them, one by one, to see which. */
function insertPlain(work: Work, newcomers: readonly Newcomer[]): InsertOutcome[] {
  return partsOf(newcomers).flatMap((part) => {
    const areBorn = part.length > 1 && writeBirths(work, part);
    return part.map((newcomer) => (areBorn ? created(work) : insertOne(work, newcomer)));
  });
}

function created({ now }: Work): InsertOutcome {
  return { kind: 'created', at: now };
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
  const obstacle = idHolder(work, newcomer) ?? documentHolder(work, newcomer);
  if (obstacle !== null) return obstacle;
  writeBirths(work, [newcomer]);
  keepUnique(work, job, newcomer);
  keepKey(work, newcomer, newcomer.id);
  return created(work);
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

function documentHolder(work: Work, newcomer: Newcomer): InsertOutcome | null {
  const { active } = newcomer.limits;
  if (active === null) return null;
  const holder = work.connection.sql(ACTIVE).get(active);
  return holder === undefined
    ? null
    : { kind: 'busy', id: uuidOfBytes(holder['id'] as Uint8Array) };
}
