// The stores that users have: a SQLite file behind its threads, and every PostgreSQL found here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { freshDatabase } from './postgres/fresh-database.ts';
import { postgresServers } from './postgres/servers.ts';
import type { OpenStore } from './world.ts';

export interface RealStore {
  readonly label: string;
  readonly open: OpenStore;
}

/** Each opens the same empty database every time; all are removed when the test file ends. */
export async function realStores(): Promise<RealStore[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-spec-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'pawl.db');
  const stores: RealStore[] = [
    { label: 'sqlite', open: (ports) => openSqliteStore({ ...ports, path }) },
  ];
  for (const server of await postgresServers()) {
    const database = await freshDatabase(server);
    after(() => database.drop());
    const { url } = database;
    stores.push({ label: server.label, open: (ports) => openPostgresStore({ ...ports, url }) });
  }
  return stores;
}
