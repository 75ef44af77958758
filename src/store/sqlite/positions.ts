import type { Connection } from './connection.ts';
import { FLAG } from './row.ts';

/** A row holds so many positions besides those of its birth and its last claim. */
const KEPT_MAX = 31;

/** Where a row's positions lie. */
interface Positions {
  readonly key: number;
  /** Before the entry whose position is to be kept. */
  readonly version: number;
  readonly more_n: string | null;
  readonly flags: number;
}

/** One more position in a row: when there is no room left, all older ones go to their own table. */
export function keepPosition(
  connection: Connection,
  n: number,
  { key, version, more_n, flags }: Positions,
): { more_n: string; flags: number } {
  const kept = more_n === null ? [] : (JSON.parse(more_n) as number[]);
  if (kept.length < KEPT_MAX) return { more_n: JSON.stringify([...kept, n]), flags };
  connection.sql('add_positions').run(key, version, more_n);
  return { more_n: JSON.stringify([n]), flags: flags | FLAG.positions };
}
