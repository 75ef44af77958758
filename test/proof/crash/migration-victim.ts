// `migration-victim.ts <path or url> <n> <before|after>`: brings a database up to date, here and
// one release further, and dies by its own kill -9 before or after the n-th statement.
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import { countdown } from './countdown.ts';
import { migratePostgres, migrateSqlite } from './migrating.ts';

const [where = '', number = '', when = ''] = process.argv.slice(2);
const counted = countdown(Number(number), when);

if (where.startsWith('postgres')) {
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    return counted(() => query.apply(this, args));
  } as typeof pg.Client.prototype.query;
  await migratePostgres(where);
} else {
  for (const [type, verb] of [
    [DatabaseSync, 'exec'],
    [StatementSync, 'run'],
  ] as const) {
    const prototype = type.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
    const real = prototype[verb]!;
    prototype[verb] = function (this: unknown, ...args: unknown[]) {
      return counted(() => real.apply(this, args));
    };
  }
  await migrateSqlite(where);
}
process.exit(0);
