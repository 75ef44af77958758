import type { Instant } from '../core/clock.ts';
import type { InsertOutcome } from './insert.ts';
import type {
  AddOp,
  Due,
  Expected,
  FenceOp,
  PutOp,
  RecordKey,
  RecordOp,
  Refusal,
  RefusalReason,
  StoredRecord,
} from './records.ts';
import { StoreError } from './store-error.ts';

/** A record before and after a write; null where it does not exist. */
export interface RecordChange {
  readonly key: RecordKey;
  readonly before: StoredRecord | null;
  readonly after: StoredRecord | null;
}

/** What a store knows when it plans a write: it locked the records first, then read its clock. */
export interface WriteContext {
  readonly at: Instant;
  readonly find: (key: RecordKey) => StoredRecord | null;
  readonly holds: (fence: FenceOp) => boolean;
}

export type WritePlan =
  | {
      readonly kind: 'accepted';
      readonly at: Instant;
      readonly versions: readonly (number | null)[];
      readonly changes: readonly RecordChange[];
    }
  | Refusal;

/** A map key for a record. */
export function textOfKey({ kind, tenant, id }: RecordKey): string {
  return JSON.stringify([kind.name, tenant, id]);
}

/** The distinct records that ops name. */
export function keysOf(ops: readonly RecordOp[]): RecordKey[] {
  const keyed = ops.filter((op) => op.op !== 'fence');
  return [...new Map(keyed.map((op) => [textOfKey(op), op])).values()];
}

/**
 * Checks the conditions of ops and computes what they write. All stores share this function, so
 * the rules exist once. Each op sees the writes of the ops before it; the first failed condition
 * refuses the whole write.
 */
export function planWrite(ops: readonly RecordOp[], context: WriteContext): WritePlan {
  const changes = new Map<string, RecordChange>();
  const versions: (number | null)[] = [];
  for (const [index, op] of ops.entries()) {
    if (op.op === 'fence') {
      if (!context.holds(op)) return refusal(context, index, { reason: 'fenced', found: null });
      versions.push(null);
      continue;
    }
    const key = textOfKey(op);
    const known = changes.get(key);
    const before = known === undefined ? context.find(op) : known.before;
    const found = known === undefined ? before : known.after;
    const reason = refusalOf(op, found, context.at);
    if (reason !== null) return refusal(context, index, { reason, found });
    const after = afterOp(op, found, context.at);
    changes.set(key, { key: op, before, after });
    versions.push(after?.version ?? null);
  }
  return { kind: 'accepted', at: context.at, versions, changes: [...changes.values()] };
}

function refusal(
  { at }: WriteContext,
  index: number,
  why: { reason: RefusalReason; found: StoredRecord | null },
): Refusal {
  return { kind: 'refused', at, index, ...why };
}

type KeyedOp = Exclude<RecordOp, FenceOp>;

function refusalOf(op: KeyedOp, found: StoredRecord | null, at: Instant): RefusalReason | null {
  if (op.op === 'add') return isFull(op, found) ? 'full' : null;
  const reason = op.expected === undefined ? null : mismatch(op.expected, found);
  if (reason !== null || op.op === 'remove') return reason;
  return isHeldByAnother(op, found, at) ? 'leased' : null;
}

function mismatch(expected: Expected, found: StoredRecord | null): RefusalReason | null {
  if (expected === 'absent') return found === null ? null : 'exists';
  if (found === null) return 'missing';
  const { version, createdAt = found.createdAt } = expected;
  return found.version === version && found.createdAt === createdAt ? null : 'version';
}

function isHeldByAnother({ lease }: PutOp, found: StoredRecord | null, at: Instant): boolean {
  if (lease === undefined || lease === null || found === null) return false;
  const { owner, leasedUntil } = found;
  return owner !== null && owner !== lease.owner && leasedUntil !== null && at < leasedUntil;
}

function afterOp(op: KeyedOp, found: StoredRecord | null, at: Instant): StoredRecord | null {
  if (op.op === 'remove') return null;
  return op.op === 'add' ? afterAdd(op, found, at) : afterPut(op, found, at);
}

function afterPut(op: PutOp, found: StoredRecord | null, at: Instant): StoredRecord {
  const { lease } = op;
  const kept = { owner: found?.owner ?? null, leasedUntil: found?.leasedUntil ?? null };
  const held =
    lease === undefined
      ? kept
      : { owner: lease?.owner ?? null, leasedUntil: lease === null ? null : at + lease.forMs };
  return {
    ...birthOf(op, found, at),
    body: op.body,
    tags: { ...op.tags },
    dueAt: dueOf(op, at),
    jobId: op.jobId ?? null,
    ...held,
  };
}

function birthOf({ kind, tenant, id }: RecordKey, found: StoredRecord | null, at: Instant) {
  const version = (found?.version ?? 0) + 1;
  const createdAt = found?.createdAt ?? at;
  return { kind: kind.name, tenant, id, version, createdAt, updatedAt: at };
}

function dueOf({ dueAt = null, dueInMs }: Due, at: Instant): Instant | null {
  return dueInMs === undefined ? dueAt : at + dueInMs;
}

function afterAdd(op: AddOp, found: StoredRecord | null, at: Instant): StoredRecord {
  const body = JSON.stringify({ ...numbersOf(found), ...sumsOf(op, found) });
  if (found !== null) return { ...found, ...birthOf(op, found, at), body };
  const fresh = { tags: {}, jobId: null, owner: null, leasedUntil: null };
  return { ...birthOf(op, found, at), body, ...fresh, dueAt: dueOf(op, at) };
}

function isFull(op: AddOp, found: StoredRecord | null): boolean {
  const sums = new Map(Object.entries(sumsOf(op, found)));
  return Object.entries(op.max ?? {}).some(([name, max]) => (sums.get(name) ?? 0) > max);
}

function sumsOf({ members }: AddOp, found: StoredRecord | null): Record<string, number> {
  const numbers = new Map(Object.entries(numbersOf(found)));
  return Object.fromEntries(
    Object.entries(members).map(([name, more]) => [name, sumOf(numbers.get(name) ?? 0, more)]),
  );
}

function sumOf(one: number, other: number): number {
  const sum = one + other;
  if (Number.isSafeInteger(sum)) return sum;
  throw new StoreError(
    'refused',
    `the sum of ${one} and ${other} exceeds the largest safe integer`,
  );
}

function numbersOf(found: StoredRecord | null): Record<string, number> {
  if (found === null) return {};
  const body: unknown = JSON.parse(found.body);
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (isObject && Object.values(body).every(Number.isSafeInteger)) {
    return body as Record<string, number>;
  }
  const what = `${found.kind} "${found.id}"`;
  const message = `cannot add to ${what}: its body is not an object of whole numbers`;
  throw new StoreError('refused', message);
}

/** The changes of an insert's ops, once the outcomes of its jobs are known. */
export function changesAfterInsert(
  ops: readonly RecordOp[],
  outcomes: readonly InsertOutcome[],
  context: WriteContext,
): readonly RecordChange[] {
  const settled = ops
    .filter((op) => op.op !== 'put' || isCreated(op.ifCreated, outcomes))
    .map((op) => (op.op === 'put' ? { ...op, body: settledBody(op.body, outcomes) } : op));
  const plan = planWrite(settled, context);
  if (plan.kind === 'accepted') return plan.changes;
  throw new StoreError(
    'refused',
    'an op depends on another that was skipped because its job was not created',
  );
}

function isCreated(index: number | undefined, outcomes: readonly InsertOutcome[]): boolean {
  return index === undefined || outcomes[index]?.kind === 'created';
}

/** Quotes inside a JSON string are escaped, so this text cannot occur within one. */
function settledBody(body: string, outcomes: readonly InsertOutcome[]): string {
  return body.replaceAll(/\{"\$outcome":(\d+)\}/g, (mark, digits: string) => {
    const outcome = outcomes[Number(digits)];
    if (outcome === undefined)
      throw new StoreError('refused', `${mark} refers to a job that is not part of this insert`);
    const { kind } = outcome;
    return JSON.stringify(kind === 'created' ? { kind } : { kind, id: outcome.id });
  });
}
