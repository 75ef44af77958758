import type { Instant } from '../../core/clock.ts';
import { isUuid } from '../../core/uuid.ts';
import { byBytes } from '../byte-order.ts';
import { checkedRecords } from '../record-check.ts';
import {
  keysOf,
  planWrite,
  type RecordChange,
  textOfKey,
  type WriteContext,
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
import type { Query } from './database.ts';
import { shownToken } from './lease-token.ts';
import { columnOfTag, foundRows, recordOfRow, type TimedRow, wireOf } from './record-row.ts';
import type { Session } from './session.ts';

/** The verbs of records. */
export function recordsOn(session: Session): RecordStore {
  return checkedRecords({
    read: (keys) => readRecords(session, keys),
    list: (query) => listRecords(session, query),
    count: (match, by) => countRecords(session, match, by),
    write: (ops) => writeRecords(session, ops),
  });
}

async function readRecords(session: Session, keys: readonly RecordKey[]) {
  const { database } = session;
  if (keys.length === 0) return { at: await session.readClock(), records: [] };
  const sql = `SELECT ${database.tables}.now_ms($4) AS at, r.*
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(kind, tenant, id, ord)
    LEFT JOIN ${database.tables}.records r
      ON r.kind = k.kind AND r.tenant = k.tenant AND r.id = k.id
    ORDER BY k.ord`;
  const values = [...columnsOf(keys), session.now()];
  const tenants = [...new Set(keys.map(({ tenant }) => tenant))];
  const rows = await readFor<TimedRow>(session, tenants, { sql, values });
  const records = rows.map((row, index) =>
    row.version === null ? null : recordOfRow(keys[index]!.kind, row),
  );
  return { at: rows[0]!.at, records };
}

function columnsOf(keys: readonly RecordKey[]): string[][] {
  return [
    keys.map(({ kind }) => kind.name),
    keys.map(({ tenant }) => tenant),
    keys.map(({ id }) => id),
  ];
}

/** Row-level security applies where a read is of one tenant only. */
async function readFor<Row>(
  session: Session,
  tenants: readonly string[] | null,
  { sql, values }: { sql: string; values: readonly unknown[] },
): Promise<Row[]> {
  const [tenant = ''] = tenants ?? [];
  const number = tenants?.length === 1 && tenant !== '' ? await session.tenantOf(tenant) : null;
  return session.database.readAs<Row>(number, sql, { values });
}

const ORDERS = {
  ascending: 'r.id, r.tenant',
  descending: 'r.id DESC, r.tenant DESC',
  due: 'r.due_at, r.id, r.tenant',
} as const;

/** A lateral subquery per tenant: each reads at most `limit` rows in index order. */
async function listRecords(session: Session, query: RecordQuery) {
  const { kind, tenants, order = 'ascending', limit } = query;
  const { tables } = session.database;
  const values: unknown[] = [session.now(), limit];
  const where = conditionsOf(query, (value) => `$${values.push(value)}`);
  const whose = tenants === null ? null : [...new Set(tenants)];
  const select = (more: string): string =>
    `SELECT r.* FROM ${tables}.records r WHERE ${where}${more} ORDER BY ${ORDERS[order]} LIMIT $2`;
  const found =
    whose === null
      ? select('')
      : `SELECT r.* FROM unnest($${values.push(whose)}::text[]) AS o(tenant)
         CROSS JOIN LATERAL (${select(' AND r.tenant = o.tenant')}) r`;
  const sql = `SELECT t.at, r.* FROM (SELECT ${tables}.now_ms($1) AS at) t
    LEFT JOIN LATERAL (${found}) r ON true ORDER BY ${ORDERS[order]}`;
  const rows = await readFor<TimedRow>(session, whose, { sql, values });
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

async function countRecords(session: Session, match: RecordMatch, by: string): Promise<TagCount[]> {
  const { kind, tenants } = match;
  const values: unknown[] = [];
  const column = `r.${columnOfTag(kind, by)}`;
  const conditions = matches(match, (value) => `$${values.push(value)}`);
  if (tenants !== null) conditions.push(`r.tenant = ANY ($${values.push(tenants)}::text[])`);
  const { tables } = session.database;
  const sql = `SELECT ${column} AS value, count(*) AS count FROM ${tables}.records r
    WHERE ${conditions.join(' AND ')} AND ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`;
  return readFor<TagCount>(session, tenants, { sql, values });
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
    await saveRecords(session, query, changes);
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

async function lockRows(
  session: Session,
  query: Query,
  ops: readonly RecordOp[],
): Promise<{ at: Instant; found: ReadonlyMap<string, StoredRecord> }> {
  const keys = new Map(keysOf(ops).map((key) => [textOfKey(key), key]));
  const sorted = [...keys.entries()].toSorted(([one], [other]) => byBytes(one, other));
  const columns = columnsOf(sorted.map(([, key]) => key));
  const rows = await query<TimedRow>(session.database.call('lock_records', 4), [
    ...columns,
    session.now(),
  ]);
  const found = foundRows(rows).map(({ kind: name, tenant, id, ...row }) => {
    const text = textOfKey({ kind: { name }, tenant, id });
    return [text, recordOfRow(keys.get(text)!.kind, { kind: name, tenant, id, ...row })] as const;
  });
  return { at: rows[0]!.at, found: new Map(found) };
}

async function holds(session: Session, query: Query, fence: FenceOp): Promise<boolean> {
  const { tenant, jobId, owner, epoch, isUncancelled = false } = fence;
  if (!isUuid(jobId)) return false;
  const [row] = await query<{ is: boolean | null }>(
    `SELECT ${session.database.verbs}.holds_job($1, $2, $3, $4, $5, $6, $7) AS is`,
    [tenant, jobId, owner, epoch, shownToken(fence.token) ?? null, isUncancelled, session.now()],
  );
  return row!.is === true;
}

/** Writes planned changes while the records are still locked. */
export async function saveRecords(
  { database }: Session,
  query: Query,
  changes: readonly RecordChange[],
): Promise<void> {
  const real = changes.filter(({ before, after }) => before !== null || after !== null);
  if (real.length === 0) return;
  const [row] = await query<{ kept: number }>(`SELECT ${database.verbs}.save_records($1) AS kept`, [
    JSON.stringify(real.map(wireOf)),
  ]);
  if (row!.kept < real.filter(({ after }) => after !== null).length) throw new InsertConflict();
}
