import type { SQLOutputValue } from 'node:sqlite';
import { AlikeList, type Column } from './alike.ts';
import { LABEL_COLUMNS } from './labels.ts';
import { C, COLUMNS, jobOf, type JobRow } from './row.ts';
import { uuidOfHex } from './uuid-bytes.ts';
import type { Work } from './work.ts';

/** Fewer are as quickly read one by one. */
export const ALIKE_MIN = 8;

/** What the jobs of many share with the first, besides a lane: all that is not their own. */
const LIVE_SHARED = `policy lifecycle state phase epoch version flags attempts retry_count priority
  progress deadline_at backoff_ms revision started_at cancel_mode claim_n more_n`.split(/\s+/);
const FACTS_SHARED = ['lane', 'metadata', ...LABEL_COLUMNS];

const SHARED_AT = [...LIVE_SHARED, ...FACTS_SHARED].map((name) => COLUMNS.indexOf(name));

const SAME = [
  ...LIVE_SHARED.map((name) => `l.${name}`),
  ...FACTS_SHARED.map((name) => `f.${name}`),
].map((column, at) => `${column} IS ?${at + 3}`);

/** A row costs by the columns that are read of it. */
const ALIKE_IN_LANE = `SELECT l.key, lower(hex(f.id)), f.input, f.created_at, l.run_at
  FROM (SELECT key FROM live WHERE gate = 0 AND lane = ?1 ORDER BY rank_at, key LIMIT ?2) o
  CROSS JOIN live l ON l.key = o.key CROSS JOIN facts f ON f.key = o.key
  WHERE ${SAME.join(' AND ')}`;

type Own = [key: number, hex: string, input: string, createdAt: number, runAt: number];

/** Jobs that differ in what is their own alone: one row, which stands for all, and columns. */
export class AlikeRows {
  readonly keys: readonly number[];
  readonly #first: JobRow;
  readonly #rows: readonly Own[];

  constructor(first: JobRow, rows: readonly Own[]) {
    this.keys = rows.map(([key]) => key);
    this.#first = first;
    this.#rows = rows;
  }

  /** As claimed: how its first row stands now. */
  told({ names, now }: Work): AlikeList {
    const job = jobOf(names, this.#first);
    const token = String(this.#first[C.token]);
    const own: Record<string, Column> = {
      id: { each: this.#rows.map(([, hex]) => uuidOfHex(hex)) },
      ...columnOf(
        'input',
        this.#rows.map(([, , input]) => input),
      ),
      ...columnOf(
        'createdAt',
        this.#rows.map(([, , , createdAt]) => createdAt),
      ),
      ...columnOf(
        'runAt',
        this.#rows.map(([, , , , runAt]) => runAt),
      ),
    };
    const count = this.keys.length;
    return new AlikeList({
      count,
      first: { job, stages: [], at: now, token, key: String(this.keys[0]) },
      others: {
        job: { alike: { count, first: { ...job }, others: own } },
        key: { digits: this.keys },
      },
    });
  }
}

/** None where it is the same in all. */
function columnOf(name: string, each: readonly unknown[]): Record<string, Column> {
  return each.every((value) => value === each[0]) ? {} : { [name]: { each } };
}

/** Nothing lies beside its row, and it has not been claimed before. */
export function canBeMany(row: JobRow): boolean {
  return row[C.flags] === 0 && row[C.claim_n] === null;
}

/** Of the first of a lane, those that are like this one, which is its first. */
export function alikeTo(
  { connection }: Work,
  first: JobRow,
  { lane, count }: { lane: number; count: number },
): AlikeRows {
  const shared: SQLOutputValue[] = SHARED_AT.map((at) => first[at]!);
  const rows = connection.textLists(ALIKE_IN_LANE).all(lane, count, ...shared);
  return new AlikeRows(first, rows as unknown as Own[]);
}
