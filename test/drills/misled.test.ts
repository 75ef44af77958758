// A proxy may take a standby for the primary, for as long as it has not looked again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import type { StoreError } from 'pawl/internal/store/store-error';
import { openWorld } from '../support/world.ts';
import { ask } from './life.ts';
import { installations } from './servers.ts';
import { pairOf } from './standbys.ts';

const installation = installations.at(-1)!;
const label = `postgres ${installation.major}`;

test(`a standby that is taken for the primary answers nothing, so no reader skips an event (${label})`, async (context) => {
  const pair = await pairOf(context, installation);
  const world = await openWorld({
    store: (ports) => openPostgresStore({ ...ports, url: pair.url }),
    types: { work: { lifecycle: 'task' } },
  });
  context.after(() => world.close());
  const { store } = world;
  await world.enqueue('work', { n: 1 });
  await pair.caughtUp();
  const start = await store.tail({ tenant: null, from: 'start', limit: 10 });
  await ask(pair.standby.url, 'SELECT pg_wal_replay_pause()');
  const job = await world.enqueue('work', { n: 2 });
  await pair.leadTo(pair.standby);
  for (const read of [
    () => store.tail({ tenant: null, from: { cursor: start.cursor }, limit: 10 }),
    () => store.read([job]),
    () => store.list({ tenant: job.tenant, limit: 10 }),
  ]) {
    const isRefused = (error: StoreError): boolean => error.trouble === 'readOnly';
    await assert.rejects(read, isRefused);
  }
  await pair.leadTo(pair.primary);
  const page = await store.tail({ tenant: null, from: { cursor: start.cursor }, limit: 10 });
  assert.deepEqual(
    page.items.map(({ event }) => event.jobId),
    [job.id],
  );
});
