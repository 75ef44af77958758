import { StoreError } from '../store-error.ts';

/** Jobs by their numbers, bound as one JSON list: a statement for many costs little more. */
export const IS_ONE_OF = 'seq IN (SELECT value FROM json_each(?))';

export function listOf(rows: readonly { readonly seq: number }[]): string {
  return `[${rows.map(({ seq }) => seq).join(',')}]`;
}

/** A statement for many has changed all that it was meant for, or the call is taken back. */
export function mustBeAll(changes: number | bigint, rows: readonly unknown[]): void {
  if (Number(changes) === rows.length) return;
  throw new StoreError(
    'refused',
    `${changes} of ${rows.length} jobs were changed by one statement`,
  );
}
