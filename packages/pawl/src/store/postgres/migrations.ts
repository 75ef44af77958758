import { rowGuards } from './row-guards.ts';
import { sqlOf } from './verbs.ts';

/** An index of a table in use: it is built while everybody goes on writing. */
export interface ConcurrentIndex {
  readonly name: string;
  /** What comes after ON, without a schema; a partitioned table cannot be had. */
  readonly on: string;
}

/**
 * One step forward; there is none back, and a released one is never changed. The code of the
 * release before runs on beside it, with verbs of its own: so a step adds (columns that may be
 * null, tables) and takes nothing away that such code still uses, and it alters at most one table
 * that is in use. Names carry no schema: a step runs with the chosen one in front.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** In one transaction. */
  readonly statements?: readonly string[];
  /** Instead of statements. */
  readonly indexes?: readonly ConcurrentIndex[];
  /**
   * What takes something away names the first version whose code did without it: older code is
   * refused from then on. Left out, the floor stays where it is.
   */
  readonly floor?: number;
}

/** In the order in which they build on each other. */
const TABLES = ['tables', 'log', 'marks', 'guards', 'partitions', 'views'];

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'tables', statements: [...TABLES.map(sqlOf), ...rowGuards()] },
];
