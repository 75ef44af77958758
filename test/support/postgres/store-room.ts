// A fresh database with an open store, and plain SQL beside it, for tests of the PostgreSQL store.
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import pg from 'pg';
import { ManualClock } from '../../../src/core/clock.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import {
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from '../../../src/store/postgres/store.ts';
import { Scene } from '../../store/suite/scene.ts';
import { freshDatabase } from './fresh-database.ts';
import { postgresServers } from './servers.ts';

/** One test's database. Everything that was opened through it is closed with the test. */
export class StoreRoom {
  readonly url: string;
  readonly clock: ManualClock = new ManualClock();
  readonly #test: TestContext;

  constructor(url: string, test: TestContext) {
    this.url = url;
    this.#test = test;
  }

  async open(options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
    const { clock, url } = this;
    const given = { url, clock, lifecycles: builtInLifecycles, ...options };
    const store = await openPostgresStore(given);
    this.#test.after(() => store.close());
    return store;
  }

  scene(store: PostgresStore): Scene {
    return new Scene({ store, clock: this.clock, lifecycles: builtInLifecycles });
  }

  /** A connection of somebody else. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {});
    await client.connect();
    this.#test.after(() => client.end());
    return client;
  }

  pool(): pg.Pool {
    const pool = new pg.Pool({ connectionString: this.url, max: 2 });
    this.#test.after(() => pool.end());
    return pool;
  }
}

/** Registers a test once for each server version, each time with an empty database. */
export async function onEveryServer(
  title: string,
  show: (room: StoreRoom, test: TestContext) => Promise<void>,
): Promise<void> {
  for (const server of await postgresServers()) {
    void test(`${title} (${server.label})`, async (context) => {
      const database = await freshDatabase(server);
      context.after(() => database.drop());
      await show(new StoreRoom(database.url, context), context);
    });
  }
}
