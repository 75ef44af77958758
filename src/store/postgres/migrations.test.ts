import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { defineLifecycle } from '../../core/define-lifecycle.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { document } from '../../lifecycles/document.ts';
import { onEveryServer, type StoreRoom } from '../../../test/support/postgres/store-room.ts';

async function migrations(room: StoreRoom, schema = 'pawl'): Promise<{ version: number }[]> {
  const client = await room.connect();
  return (await client.query(`SELECT version, applied_at FROM ${schema}.migrations`)).rows;
}

await onEveryServer('the schema is made once, however often the store is opened', async (room) => {
  await room.open();
  const before = await migrations(room);
  await room.open();
  assert.deepEqual(await migrations(room), before);
});

const LIFECYCLES = import.meta.resolve('../../lifecycles/built-in.ts');
const OPEN_ONE = `
  import { openPostgresStore } from ${JSON.stringify(import.meta.resolve('./store.ts'))};
  import { builtInLifecycles } from ${JSON.stringify(LIFECYCLES)};
  const store = await openPostgresStore({ url: process.env.URL, lifecycles: builtInLifecycles });
  await store.close();`;

await onEveryServer('two processes may open an empty database at the same time', async (room) => {
  const codes = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', OPEN_ONE], {
        env: { PATH: process.env['PATH'], URL: room.url },
        stdio: 'inherit',
      });
      return (await once(child, 'exit'))[0] as number;
    }),
  );
  assert.deepEqual(codes, [0, 0, 0]);
  const done = await migrations(room);
  assert.deepEqual(new Set(done.map(({ version }) => version)).size, done.length);
  const store = await room.open();
  await room.scene(store).running();
});

await onEveryServer('two schemas of one database know nothing of each other', async (room) => {
  const [one, two] = [await room.open(), await room.open({ schema: 'second' })];
  const scene = room.scene(one);
  const job = await scene.enqueue();
  assert.deepEqual(await two.read([job]), [null]);
  assert.equal((await migrations(room, 'second')).length, (await migrations(room)).length);
  await assert.rejects(room.open({ schema: 'x"; DROP SCHEMA pawl' }), /no schema name/);
});

await onEveryServer('a store that may only check says that the schema is missing', async (room) => {
  await assert.rejects(room.open({ migrate: 'check' }), {
    outcome: 'refused',
    message: /schema "pawl" is at version 0/,
  });
  await room.open();
  const store = await room.open({ migrate: 'check' });
  await room.scene(store).enqueue();
});

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
  async (room) => {
    await room.open({ lifecycles: [extended] });
    const store = await room.open({ lifecycles: builtInLifecycles });
    await room.scene(store).running();
    const client = await room.connect();
    const { rows } = await client.query(`SELECT name FROM pawl.lifecycles ORDER BY name`);
    const names = [...builtInLifecycles, extended].map(({ name }) => name);
    assert.deepEqual(
      rows.map(({ name }) => name),
      names.sort(),
    );
  },
);

await onEveryServer('a lifecycle with other rows needs another version', async (room) => {
  await room.open();
  const changed = { ...document, transitions: document.transitions.slice(0, -1) };
  await assert.rejects(room.open({ lifecycles: [changed] }), {
    outcome: 'refused',
    message: /"document" v1 is registered with other rows/,
  });
  await room.open({ lifecycles: [{ ...changed, version: 2 }] });
});
