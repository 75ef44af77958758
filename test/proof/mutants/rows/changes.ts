import { CHANGES_R20 } from './distribution.ts';
import { CHANGES_D } from './documents.ts';
import { CHANGES_T20 } from './operations.ts';
import { CHANGES_P } from './platform.ts';
import { CHANGES_O } from './processes.ts';
import { CHANGES_R } from './reliability.ts';
import type { RowChange } from './row-change.ts';
import { CHANGES_T } from './tasks.ts';

export type { RowChange } from './row-change.ts';

/** `npm run proof:mutants -- --rows` plants each of them in a copy of the tree. */
export const ROW_CHANGES: readonly RowChange[] = [
  ...CHANGES_D,
  ...CHANGES_O,
  ...CHANGES_P,
  ...CHANGES_T,
  ...CHANGES_T20,
  ...CHANGES_R,
  ...CHANGES_R20,
];
