import type { Change } from '../plantation.ts';

/** A mistake that breaks a row of docs/requirements.md, and the file whose tests must notice. */
export interface RowChange extends Change {
  readonly row: string;
  /** What somebody could have done, in words. */
  readonly mistake: string;
  readonly tests: string;
}
