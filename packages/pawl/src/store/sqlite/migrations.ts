import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../core/clock.ts';
import { sqlOf } from './statements.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /**
   * What takes something away names the first version whose code did without it: older code is
   * refused from then on. Left out, the floor stays where it is.
   */
  readonly floor?: number;
}

/** In the order in which they build on each other. */
const TABLES = ['tables', 'log', 'guards', 'views', 'sums'];

/** Forward only. A migration that was published is never edited; the next one mends it. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'tables', sql: TABLES.map(sqlOf).join('\n') },
];

/**
 * Brings the file up to this code's version; running it again changes nothing. A newer file will
 * do, as long as it says so itself: so a release can be taken back.
 */
export function migrate(
  db: DatabaseSync,
  now: Instant,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  refuseOldTables(db);
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL,
    applied_at INTEGER NOT NULL, floor INTEGER NOT NULL) STRICT`);
  const { version, floor } = db
    .prepare('SELECT max(version) AS version, max(floor) AS floor FROM migrations')
    .get()!;
  const applied = Number(version ?? 0);
  const newest = migrations.at(-1)!.version;
  if (Number(floor ?? 0) > newest) {
    throw new Error(
      `the database is of schema version ${applied} and can be used by a Pawl that knows version ` +
        `${Number(floor)} at least; this one knows ${newest}: install a newer release`,
    );
  }
  const insert = db.prepare('INSERT INTO migrations VALUES (?, ?, ?, ?)');
  for (const migration of migrations.filter((one) => one.version > applied)) {
    db.exec(migration.sql);
    insert.run(migration.version, migration.name, now, migration.floor ?? 0);
  }
}

/** Files from before the first release have a table of jobs where there is a view now. */
function refuseOldTables(db: DatabaseSync): void {
  const old = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'jobs'`);
  if (old.get() === undefined) return;
  throw new Error(
    'the database was written by a Pawl from before its first release, whose tables this one ' +
      'does not read: begin with a new file, or finish the jobs of this one with the old version',
  );
}
