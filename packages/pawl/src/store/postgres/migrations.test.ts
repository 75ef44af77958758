import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { defineLifecycle } from '../../core/define-lifecycle.ts';
import { systemRandom } from '../../core/random.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { document } from '../../lifecycles/document.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
import { type Migration, MIGRATIONS } from './migrations.ts';
import { migrate } from './migrations-runner.ts';
import { Database } from './database.ts';
import { childEnvironment } from '../../../../../scripts/run/child-environment.ts';

async function migrations(fixture: StoreFixture, schema = 'pawl'): Promise<{ version: number }[]> {
  const client = await fixture.connect();
  return (await client.query(`SELECT version, applied_at FROM ${schema}.migrations`)).rows;
}

await onEveryServer(
  'the schema is made once, however often the store is opened',
  async (fixture) => {
    await fixture.open();
    const before = await migrations(fixture);
    await fixture.open();
    assert.deepEqual(await migrations(fixture), before);
  },
);

const LIFECYCLES = import.meta.resolve('../../lifecycles/built-in.ts');
const OPEN_ONE = `
  import { openPostgresStore } from ${JSON.stringify(import.meta.resolve('./store.ts'))};
  import { builtInLifecycles } from ${JSON.stringify(LIFECYCLES)};
  const store = await openPostgresStore({ url: process.env.URL, lifecycles: builtInLifecycles });
  await store.close();`;

await onEveryServer(
  'two processes may open an empty database at the same time',
  async (fixture) => {
    const codes = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', OPEN_ONE], {
          env: { ...childEnvironment, URL: fixture.url },
          stdio: 'inherit',
        });
        return (await once(child, 'exit'))[0] as number;
      }),
    );
    assert.deepEqual(codes, [0, 0, 0]);
    const done = await migrations(fixture);
    assert.deepEqual(new Set(done.map(({ version }) => version)).size, done.length);
    const store = await fixture.open();
    await fixture.scene(store).running();
  },
);

await onEveryServer('two schemas of one database know nothing of each other', async (fixture) => {
  const [one, two] = [await fixture.open(), await fixture.open({ schema: 'second' })];
  const scene = fixture.scene(one);
  const job = await scene.enqueue();
  assert.deepEqual(await two.read([job]), [null]);
  assert.equal((await migrations(fixture, 'second')).length, (await migrations(fixture)).length);
  await assert.rejects(
    fixture.open({ schema: 'x"; DROP SCHEMA pawl' }),
    /cannot be the name of a schema/,
  );
});

await onEveryServer(
  'a store that may only check says that the schema is missing',
  async (fixture) => {
    await assert.rejects(fixture.open({ migrate: 'check' }), {
      outcome: 'refused',
      message:
        /schema "pawl" is at version 0, and pending are 1 \(tables\), the verbs .*: start one Pawl/,
    });
    await fixture.open();
    const store = await fixture.open({ migrate: 'check' });
    await fixture.scene(store).enqueue();
  },
);

const extended = defineLifecycle({
  name: 'letters',
  initial: 'written',
  states: { written: 'ready', carried: 'executing', delivered: 'succeeded', lost: 'failed' },
  transitions: [
    { on: 'claim', from: 'written', to: 'carried' },
    { on: 'succeed', from: 'carried', to: 'delivered' },
    { on: 'fail', from: 'carried', to: 'lost' },
    { on: 'lose', from: 'carried', to: 'written', when: 'mayRetry' },
    { on: 'lose', from: 'carried', to: 'lost' },
    { on: 'release', from: 'carried', to: 'written' },
  ],
});

await onEveryServer(
  'the guard knows the lifecycles of every process, and only more of them',
  async (fixture) => {
    await fixture.open({ lifecycles: [extended] });
    const store = await fixture.open({ lifecycles: builtInLifecycles });
    await fixture.scene(store).running();
    const client = await fixture.connect();
    const { rows } = await client.query(`SELECT name FROM pawl.lifecycles ORDER BY name`);
    const names = [...builtInLifecycles, extended].map(({ name }) => name);
    assert.deepEqual(
      rows.map(({ name }) => name),
      names.sort(),
    );
  },
);

await onEveryServer('a lifecycle with other rows needs another version', async (fixture) => {
  await fixture.open();
  const changed = { ...document, transitions: document.transitions.slice(0, -1) };
  await assert.rejects(fixture.open({ lifecycles: [changed] }), {
    outcome: 'refused',
    message: /"document" v1 is registered with other rows/,
  });
  await fixture.open({ lifecycles: [{ ...changed, version: 2 }] });
});

const LATER = Math.max(...MIGRATIONS.map(({ version }) => version)) + 1;

/** What a later release may bring, with an index of a table in use. */
const LATER_RELEASE: readonly Migration[] = [
  ...MIGRATIONS,
  { version: LATER, name: 'sizes', statements: ['ALTER TABLE live ADD COLUMN size int'] },
  { version: LATER + 1, name: 'by size', indexes: [{ name: 'live_size', on: 'live (size)' }] },
];

function databaseOf(fixture: StoreFixture): Database {
  return new Database({
    pool: fixture.pool(4),
    isOwn: false,
    schema: 'pawl',
    random: systemRandom,
  });
}

async function indexesNamed(fixture: StoreFixture, name: string): Promise<boolean[]> {
  const client = await fixture.connect();
  const { rows } = await client.query<{ valid: boolean }>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('pawl.' || $1)`,
    [name],
  );
  return rows.map(({ valid }) => valid);
}

await onEveryServer('several migrators at once do each migration once', async (fixture) => {
  await fixture.open();
  const migrators = [1, 2, 3].map(() => migrate(databaseOf(fixture), LATER_RELEASE));
  await Promise.all(migrators);
  assert.deepEqual(
    (await migrations(fixture)).map(({ version }) => version).toSorted((one, two) => one - two),
    LATER_RELEASE.map(({ version }) => version),
  );
  assert.deepEqual(await indexesNamed(fixture, 'live_size'), [true]);
});

await onEveryServer(
  '[F48] what a broken migration has left is done again as a whole',
  async (fixture) => {
    await fixture.open();
    const reader = await fixture.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM pawl.meta');
    const broken = assert.rejects(migrate(databaseOf(fixture), LATER_RELEASE), {
      outcome: 'unknown',
    });
    const killer = await fixture.connect();
    await eventually('the index waits for the reader, and its builder is killed', async () => {
      const { rows } = await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event = 'virtualxid'
        AND datname = current_database()`);
      return rows.length > 0;
    });
    await broken;
    await reader.query('COMMIT');
    assert.deepEqual(await indexesNamed(fixture, 'live_size'), [false], 'a useless index is left');
    await migrate(databaseOf(fixture), LATER_RELEASE);
    assert.deepEqual(await indexesNamed(fixture, 'live_size'), [true]);
    const store = await fixture.open();
    await fixture.scene(store).running();
  },
);

await onEveryServer(
  'one connection is enough, also for an index beside others',
  async (fixture) => {
    const pool = fixture.pool(1);
    const store = await fixture.open({ pool });
    await fixture.scene(store).running();
    const database = new Database({ pool, isOwn: false, schema: 'pawl', random: systemRandom });
    await migrate(database, LATER_RELEASE);
    assert.deepEqual(await indexesNamed(fixture, 'live_size'), [true]);
  },
);

await onEveryServer('a migration that fails leaves nothing of itself', async (fixture) => {
  await fixture.open();
  const wrong = ['ALTER TABLE live ADD COLUMN size int', 'SELECT no_such_thing'];
  const release = [...MIGRATIONS, { version: LATER, name: 'wrong', statements: wrong }];
  await assert.rejects(migrate(databaseOf(fixture), release), /no_such_thing/);
  await migrate(databaseOf(fixture), LATER_RELEASE);
});

await onEveryServer(
  'tables from before the first release are refused with what to do, and left alone',
  async (fixture) => {
    const client = await fixture.connect();
    await client.query('CREATE SCHEMA pawl; CREATE TABLE pawl.jobs (id int)');
    await assert.rejects(fixture.open(), {
      outcome: 'refused',
      message: /schema "pawl" was made by .* before its first release.*: choose another schema/,
    });
    await fixture.open({ schema: 'other' });
    assert.equal((await client.query('SELECT FROM pawl.jobs')).rowCount, 0);
  },
);

await onEveryServer(
  'each release has verbs of its own, and finds those of the other as they were',
  async (fixture) => {
    const store = await fixture.open();
    const client = await fixture.connect();
    await client.query('CREATE SCHEMA pawl_verbs_2');
    await fixture.scene(store).running();
    const { rows } = await client.query<{ name: string }>(
      `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'pawl%' ORDER BY 1`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['pawl', 'pawl_verbs_1', 'pawl_verbs_2'],
    );
  },
);
