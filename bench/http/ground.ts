import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import type { StoreName } from '../harness/arguments.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { withClient } from '../harness/with-client.ts';

/** An empty database, as settings of a platform and as an address. */
export interface Plot {
  readonly store: StoreName;
  /** Of a file, or of a database on a server. */
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where databases are, gone again at the end. */
export interface Ground {
  readonly name: string;
  readonly conditions: string;
  plot(): Promise<Plot>;
  close(): Promise<void>;
}

export function openGround(store: StoreName): Promise<Ground> {
  return store === 'postgres' ? postgresGround() : sqliteGround();
}

async function postgresGround(): Promise<Ground> {
  const server = await startDurablePostgres();
  if (server === null) throw new Error('no PostgreSQL found on this machine');
  const folder = mkdtempSync(join(tmpdir(), 'pawl-http-'));
  const conditions = await withClient(server.url, conditionsOf);
  let count = 0;
  return {
    name: 'PostgreSQL',
    conditions,
    plot: async () => {
      const { url } = await freshDatabase(server);
      const env = { DATABASE_URL: url, PAWL_DATA: join(folder, String(count++)) };
      return { store: 'postgres', address: url, env };
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function sqliteGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-http-'));
  let count = 0;
  return {
    name: 'SQLite',
    conditions: 'SQLite, WAL, synchronous=FULL, in threads of the process that owns the file',
    plot: async () => {
      const data = join(folder, String(count++));
      return { store: 'sqlite', address: `${data}.db`, env: { PAWL_DATA: data } };
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
