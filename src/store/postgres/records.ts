import type { Instant } from '../../core/clock.ts';
import { isUuid } from '../../core/ids.ts';
import { byBytes } from '../byte-order.ts';
import { checkedRecords } from '../record-check.ts';
import {
  type WriteContext,
  planWrite,
  keysOf,
  type RecordChange,
  textOfKey,
} from '../record-write.ts';
import type {
  FenceOp,
  RecordKey,
  RecordMatch,
  RecordOp,
  RecordQuery,
  RecordStore,
  StoredRecord,
  TagCount,
  WriteOutcome,
} from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Query } from './pool.ts';
import { columnOfTag, foundRows, recordOfRow, type TimedRow, wireOf } from './record-row.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

/** The verbs of records. */
export function recordsOn(session: Session): RecordStore {
  return checkedRecords({
    read: (keys) => readRecords(session, keys),
    list: (query) => listRecords(session, query),
    count: (match, by) => countRecords(session, match, by),
    write: (ops) => writeRecords(session, ops),
  });
}

/** The database's time in milliseconds, or what a test has passed as this parameter. */
function nowAt(parameter: string): string {
  return toMs(NOW.replace('p_now', `${parameter}::double precision`));
}

const READ = `SELECT ${nowAt('$4')} AS at, r.*
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(kind, tenant, id, ord)
  LEFT JOIN pawl.records r ON r.kind = k.kind AND r.tenant = k.tenant AND r.id = k.id
  ORDER BY k.ord`;

async function readRecords(session: Session, keys: readonly RecordKey[]) {
  if (keys.length === 0) return { at: await timeOf(session), records: [] };
  const values = [...columnsOf(keys), session.now()];
  const rows = await session.database.readFor<TimedRow>(tenantOf(keys), READ, values);
  const records = rows.map((row, index) =>
    row.version === null ? null : recordOfRow(keys[index]!.kind, row),
  );
  return { at: rows[0]!.at, records };
}

async function timeOf(session: Session): Promise<Instant> {
  const values = [session.now()];
  const [row] = await session.database.read<{ at: Instant }>(`SELECT ${nowAt('$1')} AS at`, values);
  return row!.at;
}

function columnsOf(keys: readonly RecordKey[]): string[][] {
  return [
    keys.map(({ kind }) => kind.name),
    keys.map(({ tenant }) => tenant),
    keys.map(({ id }) => id),
  ];
}

/** The tenant of all keys, if there is only one: row-level security then applies to the read. */
function tenantOf(named: readonly { readonly tenant: string }[]): string | null {
  const tenants = new Set(named.map(({ tenant }) => tenant));
  return tenants.size === 1 && !tenants.has('') ? named[0]!.tenant : null;
}

const ORDERS = {
  ascending: 'r.id, r.tenant',
  descending: 'r.id DESC, r.tenant DESC',
  due: 'r.due_at, r.id, r.tenant',
} as const;

/** A lateral subquery per tenant: each reads at most `limit` rows in index order. */
async function listRecords(session: Session, query: RecordQuery) {
  const { kind, tenants, order = 'ascending', limit } = query;
  const values: unknown[] = [session.now(), limit];
  const where = conditionsOf(query, (value) => `$${values.push(value)}`);
  const whose = tenants === null ? null : [...new Set(tenants)];
  const select = (more: string): string =>
    `SELECT r.* FROM pawl.records r WHERE ${where}${more} ORDER BY ${ORDERS[order]} LIMIT $2`;
  const found =
    whose === null
      ? select('')
      : `SELECT r.* FROM unnest($${values.push(whose)}::text[]) AS o(tenant)
         CROSS JOIN LATERAL (${select(' AND r.tenant = o.tenant')}) r`;
  const sql = `SELECT t.at, r.* FROM (SELECT ${nowAt('$1')} AS at) t
    LEFT JOIN LATERAL (${found}) r ON true ORDER BY ${ORDERS[order]}`;
  const wall = whose?.length === 1 && whose[0] !== '' ? whose[0]! : null;
  const rows = await session.database.readFor<TimedRow>(wall, sql, values);
  const records = foundRows(rows).map((row) => recordOfRow(kind, row));
  return { at: rows[0]!.at, records: records.slice(0, limit) };
}

function conditionsOf(query: RecordQuery, parameter: (value: unknown) => string): string {
  const { jobId, after, before, due } = query;
  const conditions = matches(query, parameter);
  if (jobId !== undefined) conditions.push(`r.job_id = ${parameter(jobId)}`);
  if (after !== undefined) conditions.push(`r.id > ${parameter(after)}`);
  if (before !== undefined) conditions.push(`r.id < ${parameter(before)}`);
  if (due !== undefined) conditions.push('r.due_at IS NOT NULL');
  if (due?.from !== undefined) conditions.push(`r.due_at >= ${parameter(due.from)}`);
  if (due?.to === 'now') conditions.push('r.due_at <= t.at');
  else if (due?.to !== undefined) conditions.push(`r.due_at <= ${parameter(due.to)}`);
  return conditions.join(' AND ');
}

function matches({ kind, tags }: RecordMatch, parameter: (value: unknown) => string): string[] {
  return [
    `r.kind = ${parameter(kind.name)}`,
    ...Object.entries(tags ?? {}).map(
      ([tag, value]) => `r.${columnOfTag(kind, tag)} = ${parameter(value)}`,
    ),
  ];
}

async function countRecords(
  { database }: Session,
  match: RecordMatch,
  by: string,
): Promise<TagCount[]> {
  const { kind, tenants } = match;
  const values: unknown[] = [];
  const column = `r.${columnOfTag(kind, by)}`;
  const conditions = matches(match, (value) => `$${values.push(value)}`);
  if (tenants !== null) conditions.push(`r.tenant = ANY ($${values.push(tenants)}::text[])`);
  const sql = `SELECT ${column} AS value, count(*) AS count FROM pawl.records r
    WHERE ${conditions.join(' AND ')} AND ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`;
  const wall = tenants?.length === 1 && tenants[0] !== '' ? tenants[0]! : null;
  return database.readFor<TagCount>(wall, sql, values);
}

/** Another transaction has inserted one of the records after they were locked. */
class InsertConflict extends StoreError {
  constructor() {
    super('unchanged', 'a record was created concurrently; try again');
  }
}

const ROUNDS_MAX = 8;

/** A transaction that writes records, retried after a concurrent insert of the same record. */
export async function transactRecords<Answer>(
  session: Session,
  body: (query: Query) => Promise<Answer>,
): Promise<Answer> {
  for (let round = 1; ; round++) {
    try {
      return await session.database.transact(body);
    } catch (error) {
      if (!(error instanceof InsertConflict) || round === ROUNDS_MAX) throw error;
    }
  }
}

function writeRecords(session: Session, ops: readonly RecordOp[]): Promise<WriteOutcome> {
  return transactRecords(session, async (query): Promise<WriteOutcome> => {
    const plan = planWrite(ops, await lockRecords(session, query, ops));
    if (plan.kind === 'refused') return plan;
    const { at, versions, changes } = plan;
    await saveRecords(query, changes);
    return { kind: 'written', at, versions };
  });
}

/** Locks the records and jobs that the ops depend on until the transaction ends. */
export async function lockRecords(
  session: Session,
  query: Query,
  ops: readonly RecordOp[],
): Promise<WriteContext> {
  const { at, found } = await lockRows(session, query, ops);
  const held = new Set<FenceOp>();
  for (const op of ops) if (op.op === 'fence' && (await holds(session, query, op))) held.add(op);
  return {
    at,
    find: (key) => found.get(textOfKey(key)) ?? null,
    holds: (fence) => held.has(fence),
  };
}

/**
 * Rows are locked in key order to avoid deadlocks. The time is read after all locks are held:
 * after a wait, an earlier time would misjudge leases and could move `updated_at` backwards.
 */
const LOCK = `WITH locked AS MATERIALIZED (
    SELECT r.* FROM unnest($1::text[], $2::text[], $3::text[]) AS k(kind, tenant, id)
    JOIN pawl.records r ON r.kind = k.kind AND r.tenant = k.tenant AND r.id = k.id
    ORDER BY r.kind, r.tenant, r.id FOR UPDATE OF r)
  SELECT t.at, l.* FROM (SELECT count(*) AS n FROM locked) c
  CROSS JOIN LATERAL (SELECT ${nowAt('$4')} AS at WHERE c.n >= 0) t
  LEFT JOIN locked l ON true`;

async function lockRows(
  session: Session,
  query: Query,
  ops: readonly RecordOp[],
): Promise<{ at: Instant; found: ReadonlyMap<string, StoredRecord> }> {
  const keys = new Map(keysOf(ops).map((key) => [textOfKey(key), key]));
  const sorted = [...keys.entries()].toSorted(([one], [other]) => byBytes(one, other));
  const columns = columnsOf(sorted.map(([, key]) => key));
  const rows = await query<TimedRow>(LOCK, [...columns, session.now()]);
  const found = foundRows(rows).map(({ kind: name, tenant, id, ...row }) => {
    const text = textOfKey({ kind: { name }, tenant, id });
    return [text, recordOfRow(keys.get(text)!.kind, { kind: name, tenant, id, ...row })] as const;
  });
  return { at: rows[0]!.at, found: new Map(found) };
}

/** Locks the job's row, so that its end happens before this write or after it. */
const HOLDS = `SELECT FROM pawl.jobs j JOIN pawl.tenants t ON t.id = j.tenant_id AND t.name = $1
  WHERE j.id = $2 AND j.epoch = $3 AND j.phase + 0 IN (2, 3) AND j.lease_owner || '' = $4
    AND ${toMs('j.lease_expiry')} > ${nowAt('$5')} FOR NO KEY UPDATE OF j`;

async function holds(session: Session, query: Query, fence: FenceOp): Promise<boolean> {
  const { tenant, jobId, owner, epoch } = fence;
  if (!isUuid(jobId)) return false;
  const rows = await query(HOLDS, [tenant, jobId, epoch, owner, session.now()]);
  return rows.length === 1;
}

const COLUMNS = `kind, tenant, id, version, tag_1, tag_2, tag_3, tag_4, due_at, job_id, owner,
  leased_until, created_at, updated_at`;

const KEEP = `WITH x AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1) AS x(did text, kind text, tenant text, id text,
      version int8, tag_1 text, tag_2 text, tag_3 text, tag_4 text, due_at int8, job_id text,
      owner text, leased_until int8, created_at int8, updated_at int8, body text)),
  made AS (
    INSERT INTO pawl.records (${COLUMNS}, body)
    SELECT ${COLUMNS}, body::json FROM x WHERE did = 'make' ORDER BY kind, tenant, id
    ON CONFLICT DO NOTHING RETURNING 1),
  changed AS (
    UPDATE pawl.records r SET version = x.version, tag_1 = x.tag_1, tag_2 = x.tag_2,
      tag_3 = x.tag_3, tag_4 = x.tag_4, due_at = x.due_at, job_id = x.job_id, owner = x.owner,
      leased_until = x.leased_until, updated_at = x.updated_at, body = x.body::json,
      created_at = x.created_at
    FROM x WHERE x.did = 'change' AND r.kind = x.kind AND r.tenant = x.tenant AND r.id = x.id
    RETURNING 1),
  removed AS (
    DELETE FROM pawl.records r USING x
    WHERE x.did = 'remove' AND r.kind = x.kind AND r.tenant = x.tenant AND r.id = x.id)
  SELECT (SELECT count(*) FROM made) + (SELECT count(*) FROM changed) AS kept`;

/** Writes planned changes while the records are still locked. */
export async function saveRecords(query: Query, changes: readonly RecordChange[]): Promise<void> {
  const real = changes.filter(({ before, after }) => before !== null || after !== null);
  if (real.length === 0) return;
  const [row] = await query<{ kept: number }>(KEEP, [JSON.stringify(real.map(wireOf))]);
  if (row!.kept < real.filter(({ after }) => after !== null).length) throw new InsertConflict();
}
