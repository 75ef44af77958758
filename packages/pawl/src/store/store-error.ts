/**
 * The store could not do its work. `unchanged`: surely nothing was written, ask again.
 * `unknown`: the answer was lost after the commit may have happened; read before asking again.
 * `refused`: the database's guard or a constraint refused the write; do not ask again.
 */
export class StoreError extends Error {
  readonly outcome: 'unchanged' | 'unknown' | 'refused';

  constructor(outcome: StoreError['outcome'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.outcome = outcome;
  }
}
