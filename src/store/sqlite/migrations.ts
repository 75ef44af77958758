import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../core/clock.ts';
import { controlSchemaSql } from './control-schema.ts';
import { guardSql } from './guard.ts';
import { recordSchemaSql } from './record-schema.ts';
import { retentionSchemaSql } from './retention-schema.ts';
import { deadlineSchemaSql } from './deadline-schema.ts';
import { schemaSql } from './schema.ts';
import { tallySchemaSql } from './tally-schema.ts';

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

const FIRST = [schemaSql, recordSchemaSql, deadlineSchemaSql, retentionSchemaSql, guardSql].join(
  '\n',
);

/** Forward only. A migration that was published is never edited; the next one mends it. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'jobs, events and their guard', sql: FIRST },
  { version: 2, name: 'turns and throttles', sql: controlSchemaSql },
  { version: 3, name: 'lines of jobs that are kept back', sql: tallySchemaSql },
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
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL,
    applied_at INTEGER NOT NULL, floor INTEGER NOT NULL DEFAULT 0) STRICT`);
  addFloor(db);
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

/** A file of the first days has no floor. */
function addFloor(db: DatabaseSync): void {
  const found = db.prepare(`SELECT 1 FROM pragma_table_info('migrations') WHERE name = 'floor'`);
  if (found.get() !== undefined) return;
  db.exec('ALTER TABLE migrations ADD COLUMN floor INTEGER NOT NULL DEFAULT 0');
}
