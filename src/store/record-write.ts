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

/** A record as it was and as ops leave it, either of which may be nothing. */
export interface RecordChange {
  readonly key: RecordKey;
  readonly before: StoredRecord | null;
  readonly after: StoredRecord | null;
}

/** What the ops are judged by: whoever asks has locked these records, and then read the time. */
export interface Ground {
  readonly at: Instant;
  readonly find: (key: RecordKey) => StoredRecord | null;
  readonly holds: (fence: FenceOp) => boolean;
}

export type Judgement =
  | {
      readonly kind: 'granted';
      readonly at: Instant;
      readonly versions: readonly (number | null)[];
      readonly changes: readonly RecordChange[];
    }
  | Refusal;

/** One text for one record. */
export function textOfKey({ kind, tenant, id }: RecordKey): string {
  return JSON.stringify([kind.name, tenant, id]);
}

/** The records that ops are about, each once. */
export function keysOf(ops: readonly RecordOp[]): RecordKey[] {
  const keyed = ops.filter((op) => op.op !== 'fence');
  return [...new Map(keyed.map((op) => [textOfKey(op), op])).values()];
}

/**
 * What ops come to, decided here once for all stores: each op sees what those before it have
 * written, and the first whose condition does not hold refuses them all.
 */
export function judge(ops: readonly RecordOp[], ground: Ground): Judgement {
  const changes = new Map<string, RecordChange>();
  const versions: (number | null)[] = [];
  for (const [index, op] of ops.entries()) {
    if (op.op === 'fence') {
      if (!ground.holds(op)) return refusal(ground, index, { reason: 'fenced', found: null });
      versions.push(null);
      continue;
    }
    const key = textOfKey(op);
    const known = changes.get(key);
    const before = known === undefined ? ground.find(op) : known.before;
    const found = known === undefined ? before : known.after;
    const reason = refusalOf(op, found, ground.at);
    if (reason !== null) return refusal(ground, index, { reason, found });
    const after = afterOp(op, found, ground.at);
    changes.set(key, { key: op, before, after });
    versions.push(after?.version ?? null);
  }
  return { kind: 'granted', at: ground.at, versions, changes: [...changes.values()] };
}

function refusal(
  { at }: Ground,
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
  throw new StoreError('refused', `${one} and ${other} are too large to be added`);
}

function numbersOf(found: StoredRecord | null): Record<string, number> {
  if (found === null) return {};
  const body: unknown = JSON.parse(found.body);
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (isObject && Object.values(body).every(Number.isSafeInteger)) {
    return body as Record<string, number>;
  }
  const message = `${found.kind} "${found.id}" is no object of whole numbers to add to`;
  throw new StoreError('refused', message);
}

/** What the ops of an insert come to once it is known what became of its jobs. */
export function settledChanges(
  ops: readonly RecordOp[],
  outcomes: readonly InsertOutcome[],
  ground: Ground,
): readonly RecordChange[] {
  const settled = ops
    .filter((op) => op.op !== 'put' || isCreated(op.ifCreated, outcomes))
    .map((op) => (op.op === 'put' ? { ...op, body: settledBody(op.body, outcomes) } : op));
  const judged = judge(settled, ground);
  if (judged.kind === 'granted') return judged.changes;
  throw new StoreError('refused', 'an op depends on one that was left out with its job');
}

function isCreated(index: number | undefined, outcomes: readonly InsertOutcome[]): boolean {
  return index === undefined || outcomes[index]?.kind === 'created';
}

/** Inside a JSON string quotes are escaped, so the mark as it is written stands for itself only. */
function settledBody(body: string, outcomes: readonly InsertOutcome[]): string {
  return body.replaceAll(/\{"\$outcome":(\d+)\}/g, (mark, digits: string) => {
    const outcome = outcomes[Number(digits)];
    if (outcome === undefined) throw new StoreError('refused', `${mark} names no job`);
    const { kind } = outcome;
    return JSON.stringify(kind === 'created' ? { kind } : { kind, id: outcome.id });
  });
}
