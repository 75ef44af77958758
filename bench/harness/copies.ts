/** Jobs to be written without any verb: copies of some that have really been where they are. */
export interface Copies {
  /** Ids of jobs with their events; the copies are of one after the other, then of the first. */
  readonly of: readonly string[];
  readonly count: number;
  /** The copies are born at even distances between the two. */
  readonly from: number;
  readonly to: number;
}

/** Where the n-th copy, counted from 1, is born: milliseconds, in SQL. */
export function bornAt({ count, from, to }: Copies): string {
  return `(${from} + n * ${to - from} / ${count})`;
}

const DAY_MS = 86_400_000;

/** From a day ago until just now. */
export function dayBefore(now: number): Pick<Copies, 'from' | 'to'> {
  return { from: now - DAY_MS, to: now - 1 };
}
