import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/**
 * The checksum of a row: its numbers, each times an odd prime of its own, and a CRC of its texts.
 * A flipped bit always changes it, and two in different columns always do; other damage goes
 * unnoticed once in four thousand million times. Sums stay below 2^53. What is written by the
 * thousand by a statement is summed by that statement, in SQL: the function below it does the same
 * for what is written row by row. Null: the row is not checked, since its texts were erased or an
 * earlier release wrote it.
 */
const PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79,
] as const;

/** What a column of numbers adds where it is null: not what it would add as 0. */
const NOTHING = -1;

export function sumOf(numbers: readonly SQLInputValue[], texts: readonly SQLInputValue[]): number {
  let sum = crcOf(texts);
  for (const [at, number] of numbers.entries()) {
    sum += PRIMES[at]! * ((number as number | null) ?? NOTHING);
  }
  return sum;
}

/** One after the other; null adds nothing. */
function crcOf(texts: readonly SQLInputValue[]): number {
  let crc = 0;
  for (const text of texts) {
    if (text === null) continue;
    crc = crc32(typeof text === 'number' ? `${text}` : (text as string | Uint8Array), crc);
  }
  return crc;
}

/** Known to connections that write ends or check rows. */
export function defineSums(db: DatabaseSync): void {
  const options = { deterministic: true, varargs: true };
  db.function('crc_of', options, (...texts: SQLInputValue[]) => crcOf(texts));
}

/** The same as `sumOf`, of expressions. */
export function sumSql(numbers: readonly string[], texts: readonly string[]): string {
  const parts = numbers.map((number, at) => `${PRIMES[at]} * coalesce(${number}, ${NOTHING})`);
  // A call of a function is dear, and most rows of the many have no text.
  const crc = `CASE WHEN coalesce(${[...texts, 'NULL'].join(', ')}) IS NULL THEN 0
    ELSE crc_of(${texts.join(', ')}) END`;
  return `(${[...parts, crc].join(' + ')})`;
}

const MACRO = /row_sum\(([^;)]*);([^)]*)\)/g;

/** In the files of statements a sum is written as row_sum(numbers; texts). */
export function withSums(text: string): string {
  const listOf = (part: string): string[] => part.split(',').map((one) => one.trim());
  return text.replace(MACRO, (_, numbers: string, texts: string) =>
    sumSql(listOf(numbers), listOf(texts)),
  );
}
