// Where a program keeps its jobs: a SQLite file, and the newest PostgreSQL found here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { freshDatabase } from './postgres/fresh-database.ts';
import { postgresServers } from './postgres/servers.ts';

export interface Database {
  readonly label: string;
  /** As `openPawl` takes it. */
  readonly database: string;
}

/** Empty ones, which are removed when the test file ends. */
export async function freshDatabases(): Promise<readonly Database[]> {
  return [freshFile(), await freshPostgres()];
}

export function freshFile(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-database-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return { label: 'sqlite', database: join(folder, 'pawl.db') };
}

export async function freshPostgres(): Promise<Database> {
  const server = (await postgresServers()).at(-1)!;
  const database = await freshDatabase(server);
  after(() => database.drop());
  return { label: server.label, database: database.url };
}
