import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../core/clock.ts';
import { accessSchemaSql } from './access-schema.ts';
import { artifactSchemaSql } from './artifact-schema.ts';
import { guardSql } from './guard.ts';
import { retentionSchemaSql } from './retention-schema.ts';
import { scheduleSchemaSql } from './schedule-schema.ts';
import { schemaSql } from './schema.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const FIRST = [schemaSql, scheduleSchemaSql, accessSchemaSql, retentionSchemaSql, guardSql].join(
  '\n',
);

/** Forward only. A migration that was published is never edited; the next one mends it. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'jobs, events and their guard', sql: FIRST },
  { version: 2, name: 'artifacts', sql: artifactSchemaSql },
];

/** Brings the file up to this code's version; running it again changes nothing. */
export function migrate(db: DatabaseSync, now: Instant): void {
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
  const row = db.prepare('SELECT max(version) AS version FROM migrations').get();
  const applied = Number(row?.['version'] ?? 0);
  const newest = MIGRATIONS.at(-1)!.version;
  if (applied > newest) {
    throw new Error(
      `the database is of schema version ${applied} and this Pawl knows ${newest}: ` +
        'start the Pawl that wrote it, or a newer one',
    );
  }
  const insert = db.prepare('INSERT INTO migrations VALUES (?, ?, ?)');
  for (const migration of MIGRATIONS.filter(({ version }) => version > applied)) {
    db.exec(migration.sql);
    insert.run(migration.version, migration.name, now);
  }
}
