import type { SQLInputValue } from 'node:sqlite';
import { byBytes } from '../byte-order.ts';
import { planWrite, type RecordChange, type WriteContext } from '../record-write.ts';
import type {
  FenceOp,
  RecordKey,
  RecordMatch,
  RecordOp,
  RecordQuery,
  StoredRecord,
  TagCount,
  WriteOutcome,
} from '../records.ts';
import { columnOfTag, RECORD_COLUMNS, recordOfRow, valuesOf } from './record-row.ts';
import { bytesToFind } from './uuid-bytes.ts';
import type { Work } from './work.ts';

const FIND = 'SELECT * FROM records WHERE kind = ? AND tenant = ? AND id = ?';

const MAKE = `INSERT INTO records (kind, tenant, id, ${RECORD_COLUMNS.join(', ')})
  VALUES (?, ?, ?, ${RECORD_COLUMNS.map(() => '?').join(', ')})`;

const CHANGE = `UPDATE records SET ${RECORD_COLUMNS.map((column) => `${column} = ?`).join(', ')}
  WHERE kind = ? AND tenant = ? AND id = ?`;

const REMOVE = 'DELETE FROM records WHERE kind = ? AND tenant = ? AND id = ?';

const HOLDS = `SELECT 1 FROM facts f JOIN live l ON l.key = f.key WHERE f.tenant = ? AND f.id = ?
  AND l.epoch = ? AND l.owner = ? AND l.lease_expiry > ?
  AND coalesce(?, CAST(l.token AS TEXT)) = CAST(l.token AS TEXT)
  AND (? OR l.cancel_mode IS NULL)`;

export function readRecords(work: Work, keys: readonly RecordKey[]) {
  return { at: work.now, records: keys.map((key) => find(work, key)) };
}

function find({ connection }: Work, { kind, tenant, id }: RecordKey): StoredRecord | null {
  const row = connection.text(FIND).get(kind.name, tenant, id);
  return row === undefined ? null : recordOfRow(kind, row);
}

/** A WHERE clause and its parameters. */
interface Where {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function whereOf(conditions: readonly (readonly [sql: string, value: SQLInputValue])[]): Where {
  return {
    sql: conditions.map(([sql]) => sql).join(' AND '),
    values: conditions.map(([, value]) => value),
  };
}

function matches({ kind, tags }: RecordMatch): (readonly [string, SQLInputValue])[] {
  return [
    ['kind = ?', kind.name],
    ...Object.entries(tags ?? {}).map(
      ([tag, value]) => [`${columnOfTag(kind, tag)} = ?`, value] as const,
    ),
  ];
}

const ORDERS = {
  ascending: 'id, tenant',
  descending: 'id DESC, tenant DESC',
  due: 'due_at, id, tenant',
} as const;

/** One query per tenant: each reads at most `limit` rows in index order. */
export function listRecords(work: Work, query: RecordQuery) {
  const { kind, tenants, order = 'ascending', limit } = query;
  const conditions = conditionsOf(work, query);
  const scopes =
    tenants === null ? [[]] : [...new Set(tenants)].map((tenant) => [ofTenant(tenant)]);
  const rows = scopes.flatMap((scope) => {
    const { sql, values } = whereOf([...conditions, ...scope]);
    const text = `SELECT * FROM records WHERE ${sql} ORDER BY ${ORDERS[order]} LIMIT ?`;
    return work.connection.text(text).all(...values, limit);
  });
  const records = rows.map((row) => recordOfRow(kind, row));
  if (scopes.length > 1) records.sort(COMPARED[order]);
  return { at: work.now, records: records.slice(0, limit) };
}

function ofTenant(tenant: string): readonly [string, SQLInputValue] {
  return ['tenant = ?', tenant];
}

function conditionsOf({ now }: Work, query: RecordQuery): (readonly [string, SQLInputValue])[] {
  const { jobId, after, before, due } = query;
  const to = due?.to === 'now' ? now : due?.to;
  const conditions = matches(query);
  if (jobId !== undefined) conditions.push(['job_id = ?', jobId]);
  if (after !== undefined) conditions.push(['id > ?', after]);
  if (before !== undefined) conditions.push(['id < ?', before]);
  if (due !== undefined) conditions.push(['due_at >= ?', due.from ?? Number.MIN_SAFE_INTEGER]);
  if (to !== undefined) conditions.push(['due_at <= ?', to]);
  return conditions;
}

type Compare = (one: StoredRecord, other: StoredRecord) => number;

const byId: Compare = (one, other) =>
  byBytes(one.id, other.id) || byBytes(one.tenant, other.tenant);

const COMPARED: Readonly<Record<keyof typeof ORDERS, Compare>> = {
  ascending: byId,
  descending: (one, other) => byId(other, one),
  due: (one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || byId(one, other),
};

export function countRecords(work: Work, match: RecordMatch, by: string): TagCount[] {
  const { kind, tenants } = match;
  const column = columnOfTag(kind, by);
  const { sql, values } = whereOf(matches(match));
  const scope = tenants === null ? '' : ' AND tenant IN (SELECT value FROM json_each(?))';
  const text = `SELECT ${column} AS value, count(*) AS count FROM records
    WHERE ${sql} AND ${column} IS NOT NULL${scope} GROUP BY ${column} ORDER BY ${column}`;
  const named = tenants === null ? [] : [JSON.stringify(tenants)];
  return work.connection
    .text(text)
    .all(...values, ...named)
    .map((row) => ({ value: row['value'] as string, count: row['count'] as number }));
}

export function writeRecords(work: Work, ops: readonly RecordOp[]): WriteOutcome {
  const plan = planWrite(ops, writeContext(work));
  if (plan.kind === 'refused') return plan;
  const { at, versions, changes } = plan;
  saveRecords(work, changes);
  return { kind: 'written', at, versions };
}

export function writeContext(work: Work): WriteContext {
  return {
    at: work.now,
    find: (key) => find(work, key),
    holds: (fence) => holds(work, fence),
  };
}

export function saveRecords({ connection, names }: Work, changes: readonly RecordChange[]): void {
  for (const { key, before, after } of changes) {
    if (key.kind.keptIn !== 'first') names.checkStays(key.tenant);
    const name = [key.kind.name, key.tenant, key.id];
    if (after === null) connection.text(REMOVE).run(...name);
    else if (before === null) connection.text(MAKE).run(...name, ...valuesOf(key.kind, after));
    else connection.text(CHANGE).run(...valuesOf(key.kind, after), ...name);
  }
}

function holds({ connection, names, now }: Work, fence: FenceOp): boolean {
  const { tenant, jobId, owner, epoch, token, isUncancelled = false } = fence;
  const number = names.findTenant(tenant);
  const id = bytesToFind(jobId);
  if (number === null || id === null) return false;
  const holder = [epoch, names.findOwner(owner), now, token ?? null];
  const values = [number, id, ...holder, Number(!isUncancelled)];
  return connection.text(HOLDS).get(...values) !== undefined;
}
