// A fresh database with an open store, and plain SQL beside it, for tests of the PostgreSQL store.
import { test } from 'node:test';
import pg from 'pg';
import { ManualClock } from 'pawl/internal/core/clock';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import {
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from 'pawl/internal/store/postgres/store';
import { Scene } from '../../../packages/pawl/test/store/suite/scene.ts';
import { freshDatabase } from './fresh-database.ts';
import { postgresServers } from './servers.ts';

/** One test's database. What was opened through it is closed with the test, the latest first. */
export class StoreFixture {
  readonly url: string;
  readonly clock: ManualClock = new ManualClock();
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(url: string) {
    this.url = url;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }

  async open(options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
    const { clock, url } = this;
    const given = { url, clock, lifecycles: builtInLifecycles, ...options };
    const store = await openPostgresStore(given);
    this.#closers.push(() => store.close());
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
    this.#closers.push(() => client.end());
    return client;
  }

  pool(max: number = 2): pg.Pool {
    const pool = new pg.Pool({ connectionString: this.url, max });
    pool.on('error', () => {});
    this.#closers.push(() => pool.end());
    return pool;
  }
}

/** Registers a test once for each server version, each time with an empty database. */
export async function onEveryServer(
  title: string,
  show: (fixture: StoreFixture) => Promise<void>,
): Promise<void> {
  for (const server of await postgresServers()) {
    void test(`${title} (${server.label})`, async (context) => {
      const database = await freshDatabase(server);
      const fixture = new StoreFixture(database.url);
      context.after(async () => {
        await fixture.close();
        await database.drop();
      });
      await show(fixture);
    });
  }
}
