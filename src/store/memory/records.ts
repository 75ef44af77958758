import { byBytes } from '../byte-order.ts';
import { checkedRecords } from '../record-check.ts';
import { planWrite, type RecordChange, textOfKey, type WriteContext } from '../record-write.ts';
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
import { deepFreeze, type Tables } from './tables.ts';

/** The verbs over a transaction that the store begins and ends. */
export function recordsIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): RecordStore {
  return checkedRecords({
    read: (keys) => transact((tables) => readRecords(tables, keys)),
    list: (query) => transact((tables) => listRecords(tables, query)),
    count: (match, by) => transact((tables) => countRecords(tables, match, by)),
    write: (ops) => transact((tables) => writeRecords(tables, ops)),
  });
}

function readRecords(tables: Tables, keys: readonly RecordKey[]) {
  return { at: tables.clock.now(), records: keys.map((key) => find(tables, key)) };
}

function find(tables: Tables, key: RecordKey): StoredRecord | null {
  return tables.records.get(textOfKey(key)) ?? null;
}

function listRecords(tables: Tables, query: RecordQuery) {
  const at = tables.clock.now();
  const { jobId, after, before, due, order = 'ascending', limit } = query;
  const to = due?.to === 'now' ? at : (due?.to ?? Infinity);
  const from = due?.from ?? -Infinity;
  const found = matching(tables, query).filter(
    (record) =>
      (jobId === undefined || record.jobId === jobId) &&
      (after === undefined || byBytes(record.id, after) > 0) &&
      (before === undefined || byBytes(record.id, before) < 0) &&
      (due === undefined || (record.dueAt !== null && record.dueAt >= from && record.dueAt <= to)),
  );
  found.sort(byId);
  if (order === 'descending') found.reverse();
  if (order === 'due') found.sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
  return { at, records: found.slice(0, limit) };
}

/** Records that match a filter. */
export function matching(tables: Tables, { kind, tenants, tags }: RecordMatch): StoredRecord[] {
  const wanted = Object.entries(tags ?? {});
  return tables.records
    .values()
    .filter(
      (record) =>
        record.kind === kind.name &&
        (tenants === null || tenants.includes(record.tenant)) &&
        wanted.every(([tag, value]) => record.tags[tag] === value),
    );
}

function byId(one: StoredRecord, other: StoredRecord): number {
  return byBytes(one.id, other.id) || byBytes(one.tenant, other.tenant);
}

function countRecords(tables: Tables, match: RecordMatch, by: string): TagCount[] {
  const values = matching(tables, match).flatMap((record) => record.tags[by] ?? []);
  return [...Map.groupBy(values, (value) => value)]
    .toSorted(([one], [other]) => byBytes(one, other))
    .map(([value, all]) => ({ value, count: all.length }));
}

function writeRecords(tables: Tables, ops: readonly RecordOp[]): WriteOutcome {
  const plan = planWrite(ops, writeContext(tables));
  if (plan.kind === 'refused') return plan;
  const { at, versions, changes } = plan;
  saveRecords(tables, changes);
  return { kind: 'written', at, versions };
}

export function writeContext(tables: Tables): WriteContext {
  return {
    at: tables.clock.now(),
    find: (key) => find(tables, key),
    holds: (fence) => holds(tables, fence),
  };
}

export function saveRecords(tables: Tables, changes: readonly RecordChange[]): void {
  for (const { key, before, after } of changes) {
    if (key.kind.name === 'audit' && before !== null && after !== null) {
      throw new StoreError('refused', 'an entry of the audit log is never changed');
    }
    if (after === null) tables.records.delete(textOfKey(key));
    else tables.records.set(textOfKey(key), deepFreeze(after));
  }
}

function holds(tables: Tables, fence: FenceOp): boolean {
  const { tenant, jobId, owner, epoch, isUncancelled = false } = fence;
  const row = tables.rowOf({ tenant, id: jobId });
  const job = row?.job;
  if (job === undefined || job.owner !== owner || job.epoch !== epoch) return false;
  if ((fence.token ?? row!.token) !== row!.token) return false;
  if (isUncancelled && job.cancel !== null) return false;
  return job.leaseExpiry !== null && tables.clock.now() < job.leaseExpiry;
}
