import type { Instant } from '../core/clock.ts';
import type { RecordKey, RecordOp, RecordStore, Refusal, StoredRecord } from '../store/records.ts';
import { StoreError } from '../store/store-error.ts';

/** What is to be written of records as they were read, and what it is answered with. */
export interface Planned<Answer> {
  /** None: there is nothing to write. */
  readonly ops: readonly RecordOp[];
  /** Given the time of the write, or of the reading where there is none. */
  readonly answer: (at: Instant) => Answer;
  /** What a refusal is answered with; null, or left out: read and plan again. */
  readonly refused?: (refusal: Refusal) => Answer | null;
}

/** Races are lost to somebody else's progress, so some rounds settle any of them. */
const ROUNDS_MAX = 50;

/** Reads, decides, compares and sets; whoever loses a race reads and decides again. */
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
