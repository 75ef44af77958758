import type { SQLInputValue } from 'node:sqlite';
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection.ts';

/** One statement for many jobs, by how these are told: by the first and the last, or each. */
export interface ManySql {
  readonly range: string;
  readonly list: string;
}

type Numbered = { readonly seq: number };

/** Jobs by their numbers: a statement for many costs little more than one for a single job. */
export function manySql(statement: string): ManySql {
  return {
    range: `${statement} WHERE seq BETWEEN ? AND ?`,
    list: `${statement} WHERE seq IN (SELECT value FROM json_each(?))`,
  };
}

/** Does the same to all these jobs: has it not, the call is taken back. */
export function runMany(
  connection: Connection,
  sql: ManySql,
  { values, rows }: { values: readonly SQLInputValue[]; rows: readonly Numbered[] },
): void {
  const seqs = rows.map(({ seq }) => seq).sort((one, other) => one - other);
  const { changes } = isRow(seqs)
    ? connection.sql(sql.range).run(...values, seqs[0]!, seqs.at(-1)!)
    : connection.sql(sql.list).run(...values, `[${seqs.join(',')}]`);
  mustBeAll(changes, rows);
}

/** Jobs that came one after the other mostly go so, and then it is enough to name two of them. */
function isRow(seqs: readonly number[]): boolean {
  for (let at = 1; at < seqs.length; at++) if (seqs[at]! !== seqs[at - 1]! + 1) return false;
  return seqs.length > 0;
}

/** A statement for many has changed all that it was meant for, or the call is taken back. */
export function mustBeAll(changes: number | bigint, rows: readonly unknown[]): void {
  if (Number(changes) === rows.length) return;
  throw new StoreError(
    'refused',
    `${changes} of ${rows.length} jobs were changed by one statement`,
  );
}
