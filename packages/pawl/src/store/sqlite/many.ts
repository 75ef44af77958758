import type { SQLInputValue } from 'node:sqlite';
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection.ts';

/**
 * Does the same to all these jobs by one statement: has it not, the call is taken back. Keys that
 * follow on each other, as those of jobs that came together mostly do, are told by the first and
 * the last, which is cheaper: the statement's name then ends in `_range`, and the last key is bound
 * after all other values.
 */
export function runMany(
  connection: Connection,
  {
    name,
    keys,
    values,
  }: { name: string; keys: readonly number[]; values: readonly SQLInputValue[] },
): void {
  const sorted = keys.toSorted((one, other) => one - other);
  const [first, last] = [sorted[0]!, sorted.at(-1)!];
  const isRange = last - first === sorted.length - 1;
  const { changes } = isRange
    ? connection.sql(`${name}_range`).run(first, ...values, last)
    : connection.sql(name).run(`[${sorted.join(',')}]`, ...values);
  mustBeAll(changes, keys);
}

/** A statement for many has changed all that it was meant for, or the call is taken back. */
export function mustBeAll(changes: number | bigint, jobs: readonly unknown[]): void {
  if (Number(changes) === jobs.length) return;
  throw new StoreError(
    'refused',
    `${changes} of ${jobs.length} jobs were changed by one statement`,
  );
}
