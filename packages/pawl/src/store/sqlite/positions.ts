import type { Connection } from './connection.ts';
import { FLAG } from './row.ts';

/** A row holds so many positions besides those of its birth and its last claim. */
const KEPT_MAX = 31;

/** So many positions of a part at least are in none before it. */
export const PART_MIN = KEPT_MAX - 1;

/** Where a row's positions lie. */
interface Positions {
  readonly key: number;
  /** Before the entry whose position is to be kept. */
  readonly version: number;
  readonly claim_n: number | null;
  readonly more_n: string | null;
  readonly flags: number;
}

/**
 * One more position in a row: when there is no room left, all older ones go to their own table. The
 * last claim's goes with them, and once more when there is another claim: so no entry lies in a
 * later part than younger ones do.
 */
export function keepPosition(
  connection: Connection,
  n: number,
  { key, version, claim_n, more_n, flags }: Positions,
): { more_n: string; flags: number } {
  const kept = more_n === null ? [] : (JSON.parse(more_n) as number[]);
  if (kept.length < KEPT_MAX) return { more_n: JSON.stringify([...kept, n]), flags };
  const part = claim_n === null ? kept : [...kept, claim_n];
  connection.sql('add_positions').run(key, version, JSON.stringify(part));
  return { more_n: JSON.stringify([n]), flags: flags | FLAG.positions };
}
