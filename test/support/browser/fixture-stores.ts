// What the server behind the pages can keep its jobs in.
import { after } from 'node:test';
import { freshDatabase } from '../postgres/fresh-database.ts';
import { postgresServers } from '../postgres/servers.ts';

export interface FixtureStore {
  readonly label: string;
  /** For `openRoom`. */
  readonly env: NodeJS.ProcessEnv;
}

export const SQLITE: FixtureStore = { label: 'sqlite', env: {} };

/** SQLite, and the newest PostgreSQL here: pages ask all alike, so one version is enough. */
export async function fixtureStores(): Promise<FixtureStore[]> {
  const server = (await postgresServers()).at(-1)!;
  const database = await freshDatabase(server);
  after(() => database.drop());
  return [SQLITE, { label: server.label, env: { DATABASE_URL: database.url } }];
}
