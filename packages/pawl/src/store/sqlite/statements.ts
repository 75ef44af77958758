import { readFileSync } from 'node:fs';
import { withSums } from './sums.ts';

/** Files of statements, each after a line `-- @name`. */
const FILES = [
  'names',
  'insert',
  'admit',
  'claim',
  'apply',
  'renew',
  'sweep',
  'history',
  'counts',
  'limits',
  'erase',
  'purge',
  'moving',
] as const;

export function sqlOf(file: string): string {
  return readFileSync(new URL(`sql/${file}.sql`, import.meta.url), 'utf8');
}

const HEAD = /^-- @(\w+)\n/m;

/** The text of every statement, by its name. */
export const STATEMENTS: ReadonlyMap<string, string> = new Map(
  FILES.flatMap((file) => {
    const [, ...parts] = sqlOf(file).split(HEAD);
    return Array.from({ length: parts.length / 2 }, (_, at): [string, string] => [
      parts[2 * at]!,
      withSums(parts[2 * at + 1]!.trim()),
    ]);
  }),
);
