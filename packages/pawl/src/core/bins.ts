/**
 * Durations are counted in bins whose bounds grow by a constant factor: counts of different times,
 * processes and tenants add up, and a quantile read from the sum is off by 2.5 % at most.
 */
const GROWTH = 1.05;

/** The bin of a duration; bin 0 is up to a millisecond. */
export function binOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(GROWTH));
}

/** The duration that is nearest to all of a bin, by ratio. */
export function msOf(bin: number): number {
  return bin === 0 ? 1 : (2 * GROWTH ** bin) / (GROWTH + 1);
}

export interface BinCount {
  readonly bin: number;
  readonly count: number;
}

/** The duration that this share of all did not exceed; null of none. */
export function quantileMs(counts: readonly BinCount[], share: number): number | null {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (const { bin, count } of counts.toSorted((one, other) => one.bin - other.bin)) {
    seen += count;
    if (seen >= wanted) return Math.round(msOf(bin));
  }
  return null;
}
