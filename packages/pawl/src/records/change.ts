import type { Instant } from '../core/clock.ts';
import type { RecordKey, RecordOp, RecordStore, Refusal, StoredRecord } from '../store/records.ts';
import { StoreError } from '../store/store-error.ts';

/** The ops for records as they were read, and the answer once they are written. */
export interface Planned<Answer> {
  /** Empty: nothing is written. */
  readonly ops: readonly RecordOp[];
  /** `at`: the database's time of the write, or of the read if nothing is written. */
  readonly answer: (at: Instant) => Answer;
  /** The answer to a refusal; null (the default) reads and plans again. */
  readonly refused?: (refusal: Refusal) => Answer | null;
}

/** A lost race means that another writer succeeded, so a bounded number of rounds suffices. */
const ROUNDS_MAX = 50;

/** Compare and set: reads, plans, writes; after a lost race it reads and plans again. */
export async function changeRecords<Answer>(
  records: RecordStore,
  keys: readonly RecordKey[],
  plan: (found: readonly (StoredRecord | null)[], at: Instant) => Planned<Answer>,
): Promise<Answer> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const read = await records.read(keys);
    const { ops, answer, refused } = plan(read.records, read.at);
    if (ops.length === 0) return answer(read.at);
    const outcome = await records.write(ops);
    if (outcome.kind === 'written') return answer(outcome.at);
    const other = refused?.(outcome) ?? null;
    if (other !== null) return other;
  }
  const names = keys.map(({ kind, id }) => `${kind.name} "${id}"`).join(', ');
  throw new StoreError('unchanged', `${names} changed too often to be written; try again`);
}

/**
 * Writes what belongs to several tenants, each tenant's alone, since they may live in different
 * databases. Answers with the number of ops that were written.
 */
export async function writeByTenant(
  records: Pick<RecordStore, 'write'>,
  ops: readonly RecordOp[],
): Promise<number> {
  let written = 0;
  for (const own of Map.groupBy(ops, ({ tenant }) => tenant).values()) {
    if ((await records.write(own)).kind === 'written') written += own.length;
  }
  return written;
}
