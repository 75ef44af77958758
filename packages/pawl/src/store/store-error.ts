import type { Trouble } from './health.ts';

/**
 * The database failed. `outcome` says what that means: `unchanged`: nothing was written, try again.
 * `unknown`: the connection failed when the commit may have happened, read before trying again.
 * `refused`: a guard or constraint of the database refused the write, do not try again.
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

/** The tenant lives in another database by now: nothing was written, and here nothing will be. */
export class TenantMoved extends StoreError {
  constructor(message: string, cause?: unknown) {
    super('unchanged', message, cause);
    this.name = 'TenantMoved';
  }
}
