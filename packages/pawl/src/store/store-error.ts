import type { Trouble } from './health.ts';

/**
 * The store could not do its work. `unchanged`: surely nothing was written, ask again.
 * `unknown`: the answer was lost after the commit may have happened; read before asking again.
 * `refused`: the database's guard or a constraint refused the write; do not ask again.
 */
export class StoreError extends Error {
  readonly outcome: 'unchanged' | 'unknown' | 'refused';
  /** What is wrong with the database's disk, where that is the cause; null otherwise. */
  readonly trouble: Trouble | null;

  constructor(
    outcome: StoreError['outcome'],
    message: string,
    cause?: unknown,
    trouble: Trouble | null = null,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.outcome = outcome;
    this.trouble = trouble;
  }
}
