import { firstKeyOf } from '../gate.ts';
import {
  type InsertOptions,
  type InsertOutcome,
  type InsertWithOptions,
  type InsertWithOutcome,
  isRefusal,
  type NewJob,
} from '../insert.ts';
import { changesAfterInsert, planWrite } from '../record-write.ts';
import { TouchedKeys } from './admit.ts';
import { gateKeysOf, type Newcomer, newcomerOf, writeBirths } from './birth.ts';
import { saveRecords, writeContext } from './records.ts';
import { bytesToStore, uuidOfBytes } from './uuid-bytes.ts';
import { joinUnique, keepUnique } from './unique.ts';
import type { Work } from './work.ts';

export function insertJobs(
  work: Work,
  jobs: readonly NewJob[],
  { isWhole = false }: InsertOptions = {},
): InsertOutcome[] {
  return isWhole ? insertWhole(work, jobs) : insertEach(work, jobs);
}

/** Nothing is written where one item is refused. */
function insertWhole(work: Work, jobs: readonly NewJob[]): InsertOutcome[] {
  const { connection, names } = work;
  connection.text('SAVEPOINT whole').run();
  const outcomes = insertEach(work, jobs);
  if (outcomes.some(isRefusal)) {
    names.forget();
    connection.text('ROLLBACK TO whole').run();
  }
  connection.text('RELEASE whole').run();
  return outcomes;
}

/** As if one item came after the other: each sees what those before it have written. */
function insertEach(work: Work, jobs: readonly NewJob[]): InsertOutcome[] {
  const keys = new TouchedKeys();
  const outcomes: InsertOutcome[] = [];
  let plain: Newcomer[] = [];
  for (const newcomer of jobs.map((job) => newcomerOf(work, job))) {
    keys.touch(firstKeyOf(gateKeysOf(newcomer)));
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
  { with: ops, isWhole = false }: InsertWithOptions,
): InsertWithOutcome {
  const context = writeContext(work);
  const plan = planWrite(ops, context);
  if (plan.kind === 'refused') return plan;
  const outcomes = insertJobs(work, jobs, { isWhole });
  if (!isWhole || !outcomes.some(isRefusal)) {
    saveRecords(work, changesAfterInsert(ops, outcomes, context));
  }
  return { kind: 'inserted', at: context.at, outcomes };
}

/** Nothing but its own id can stand in its way, and it stands in nobody's. */
function isPlain({ job: { idempotency, unique, stages }, limits }: Newcomer): boolean {
  const isKeyed = Object.values(limits).some((key) => key !== null);
  return idempotency === null && unique === undefined && stages === undefined && !isKeyed;
}

function insertPlain(work: Work, newcomers: readonly Newcomer[]): InsertOutcome[] {
  const born = writeBirths(work, newcomers);
  return newcomers.map((newcomer, index) => outcomeOf(work, newcomer, born[index]!));
}

function outcomeOf({ now }: Work, { job }: Newcomer, isBorn: boolean): InsertOutcome {
  return isBorn ? { kind: 'created', at: now } : { kind: 'exists', id: job.id };
}

function insertOne(work: Work, newcomer: Newcomer): InsertOutcome {
  const repeated = keyHolder(work, newcomer);
  if (repeated !== null) return repeated;
  const joined = joinUnique(work, newcomer);
  if (joined !== null) {
    keepKey(work, newcomer, bytesToStore(joined.id));
    return joined;
  }
  const obstacle = idHolder(work, newcomer) ?? documentHolder(work, newcomer);
  if (obstacle !== null) return obstacle;
  writeBirths(work, [newcomer]);
  keepUnique(work, newcomer);
  keepKey(work, newcomer, newcomer.id);
  return outcomeOf(work, newcomer, true);
}

function keepKey({ connection, now }: Work, { job, tenant }: Newcomer, id: Uint8Array): void {
  if (job.idempotency === null) return;
  const { key, payloadHash, windowMs } = job.idempotency;
  connection.sql('put_idempotency_key').run(tenant, key, payloadHash, id, now + windowMs);
}

function keyHolder({ connection, now }: Work, { job, tenant }: Newcomer): InsertOutcome | null {
  if (job.idempotency === null) return null;
  const { key, payloadHash } = job.idempotency;
  const holder = connection.sql('idempotency_key').get(tenant, key, now);
  if (holder === undefined) return null;
  const id = holder['id'] as Uint8Array;
  if (connection.sql('has_job').get(tenant, id) === undefined) return null;
  const isSame = holder['payload_hash'] === payloadHash;
  return { kind: isSame ? 'replayed' : 'conflict', id: uuidOfBytes(id) };
}

function idHolder(work: Work, newcomer: Newcomer): InsertOutcome | null {
  const found = work.connection.sql('has_job').get(newcomer.tenant, newcomer.id);
  return found === undefined ? null : outcomeOf(work, newcomer, false);
}

function documentHolder({ connection }: Work, { limits }: Newcomer): InsertOutcome | null {
  if (limits.active === null) return null;
  const holder = connection.sql('active_job').get(limits.active);
  if (holder === undefined) return null;
  return { kind: 'busy', id: uuidOfBytes(holder['id'] as Uint8Array) };
}
