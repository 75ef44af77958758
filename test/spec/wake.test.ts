// Who waits for work hears of it: in this process, and in others on the same database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wakeFor } from 'pawl/internal/worker/wake';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { PostgresStore } from 'pawl/internal/store/postgres/store';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { onEveryServer } from '../support/postgres/store-fixture.ts';
import { forEachStore } from '../support/world-stores.ts';
import { jobThat, sourceWith } from '../support/workshop.ts';
import { type OpenStore, openWorld, type World } from '../support/world.ts';

const LIMITED = { lifecycle: 'task', limits: { runningPerKey: 1 } };
const TYPES = { mail: { lifecycle: 'task' }, doc: { lifecycle: 'document' }, single: LIMITED };

type News = readonly string[] | null;

/** What is heard of types by name: who begins to listen to a database is told to look for any. */
function hearIn(world: World): { heard: News[]; any: () => number; stop: () => Promise<void> } {
  const heard: News[] = [];
  let any = 0;
  const stop = world.engine.onWork((types) => void (types === null ? any++ : heard.push(types)));
  return { heard, any: () => any, stop };
}

function worldOf(open: OpenStore) {
  return (show: (world: World) => Promise<void>) => async (): Promise<void> => {
    const world = await openWorld({ store: open, types: TYPES });
    await show(world);
    await world.close();
  };
}

async function endOne({ engine }: World, type: string): Promise<void> {
  const [claim] = await engine.claim({ owner: 'w1', types: [type], max: 1 });
  const { tenant, id, epoch } = claim!.job;
  const ending = { kind: 'succeed', result: '1' } as const;
  await engine.settle([{ ref: { tenant, id }, owner: 'w1', epoch, ending }]);
}

await forEachStore(({ label, open }) => {
  void describe(`news of work on ${label}`, () => {
    const within = worldOf(open);

    test(
      'comes with a job that can be claimed, and not with one that cannot',
      within(async (world) => {
        const { heard, stop } = hearIn(world);
        await world.enqueue('mail');
        assert.deepEqual(heard, [['mail']]);
        heard.length = 0;
        await world.enqueue('mail', null, { runAt: world.clock.now() + 1_000 });
        await world.enqueue('doc', null, { submit: false });
        assert.deepEqual(heard, []);
        await stop();
        await world.enqueue('mail');
        assert.deepEqual(heard, [], 'who has left hears nothing');
      }),
    );

    test(
      'comes with the end of a job that another one waits for, and of no other',
      within(async (world) => {
        for (const type of ['single', 'single', 'mail', 'mail']) {
          await world.enqueue(type, null, { documentId: 'd' });
        }
        const { heard, stop } = hearIn(world);
        await endOne(world, 'mail');
        assert.deepEqual(heard, []);
        await endOne(world, 'single');
        assert.deepEqual(heard, [['single']]);
        await endOne(world, 'single');
        await stop();
      }),
    );

    test(
      'comes with a job that is submitted, given back or due',
      within(async (world) => {
        const held = await world.enqueue('doc', null, { submit: false });
        const { heard, any, stop } = hearIn(world);
        await world.engine.submit(held, 'api');
        assert.deepEqual(heard.at(-1), ['doc']);
        await world.enqueue('mail', null, { runAt: world.clock.now() + 1_000 });
        world.advance(1_000);
        heard.length = 0;
        await world.sweep();
        assert.ok(any() > 0, 'what comes due may be of any type');
        await stop();
      }),
    );
  });
});

await onEveryServer('news of work reaches other processes on the database', async (fixture) => {
  const [one, other] = [await fixture.open(), await fixture.open()];
  const scene = fixture.scene(one);
  const heard: News[] = [];
  let next = Promise.withResolvers<void>();
  const stop = other.wakeSignal.listen((types) => {
    heard.push(types);
    next.resolve();
  });
  await next.promise;
  assert.deepEqual(heard, [null], 'whoever begins to listen looks once');
  for (const types of [['mail'], null, ['a', 'b']]) {
    next = Promise.withResolvers();
    one.wakeSignal.wake(types);
    await next.promise;
    assert.deepEqual(heard.at(-1), types);
  }
  next = Promise.withResolvers();
  one.wakeSignal.wake(Array.from({ length: 1_000 }, (_, index) => `type-${index}`));
  await next.promise;
  assert.equal(heard.at(-1), null, 'more than can be said is said as any');
  await scene.enqueue();
  await stop();
});

await onEveryServer('a listener whose line is cut opens another and looks', async (fixture) => {
  const store = await fixture.open();
  let next = Promise.withResolvers<News>();
  const stop = store.wakeSignal.listen((types) => next.resolve(types));
  await next.promise;
  next = Promise.withResolvers();
  const other = await fixture.open();
  const killer = await fixture.connect();
  await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE 'LISTEN%' AND datname = current_database()`);
  assert.equal(await next.promise, null);
  next = Promise.withResolvers();
  other.wakeSignal.wake(['mail']);
  assert.deepEqual(await next.promise, ['mail']);
  await stop();
});

await onEveryServer('a transaction of the caller is heard of when it is over', async (fixture) => {
  const store = await fixture.open();
  const scene = fixture.scene(store);
  const job = await scene.newJob();
  let next = Promise.withResolvers<News>();
  const stop = store.wakeSignal.listen((types) => next.resolve(types));
  await next.promise;
  const client = await fixture.connect();
  await client.query('BEGIN');
  await store.within(client)([job]);
  next = Promise.withResolvers();
  await client.query('COMMIT');
  assert.deepEqual(await next.promise, ['task']);
  await stop();
});

/** Everything that others have said until now: news is heard in the order of the commits. */
function hearUntil(
  store: PostgresStore,
  last: string,
): { heard: Promise<News[]>; ready: Promise<void> } {
  const heard: News[] = [];
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<News[]>();
  const stop = store.wakeSignal.listen((types) => {
    ready.resolve();
    if (types?.[0] === last) void stop().then(() => ended.resolve(heard));
    else if (types !== null) heard.push(types);
  });
  return { heard: ended.promise, ready: ready.promise };
}

await onEveryServer('plain SQL that makes a job claimable is heard of', async (fixture) => {
  for (const schema of ['pawl', 'another']) {
    const store = await fixture.open({ schema });
    const scene = fixture.scene(store);
    await scene.type('mail', 'task');
    await scene.type('doc', 'document');
    const { heard, ready } = hearUntil(store, 'last');
    await ready;
    const client = await fixture.connect();
    const enqueue = async (more: string): Promise<void> => {
      await client.query(`SELECT ${schema}.add_job(${more}, tenant => $1)`, [scene.tenant]);
    };
    await client.query('BEGIN');
    await enqueue(`'mail'`);
    await client.query('ROLLBACK');
    await enqueue(`'doc', hold => true`);
    await enqueue(`'doc', run_at => now() + interval '1 hour'`);
    await enqueue(`'doc', key => 'k'`);
    await enqueue(`'doc', key => 'k'`);
    await client.query('SELECT pg_notify($1, $2)', [`pawl_${schema}`, ';last']);
    assert.deepEqual(await heard, [['doc']], 'one of them can be claimed, and came to be once');
  }
});

await onEveryServer('a worker that sleeps begins what plain SQL has enqueued', async (fixture) => {
  const store = await fixture.open({ clock: systemClock });
  const ids = systemIds(systemClock);
  const engine = new Engine(
    openContext({ store, lifecycles: builtInLifecycles, random: systemRandom, ids }),
  );
  const began = Promise.withResolvers<unknown>();
  const jobs = [jobThat(({ input }) => began.resolve(input))];
  await engine.putType({ tenant: 'default', type: 'job' }, typeDefinitionOf(jobs[0]!));
  // It looks when it starts and when its line to the database is open, and then not for an hour.
  let looks = 0;
  const asleep = Promise.withResolvers<void>();
  const source = sourceWith(engine, {
    claim: (claim) => async (options) => {
      const found = await claim(options);
      if (++looks === 2) asleep.resolve();
      return found;
    },
  });
  const pollMs = { minMs: 3_600_000, maxMs: 3_600_000 };
  const worker = openWorker({ source, jobs, pollMs, slots: 1 });
  worker.start();
  const stop = wakeFor(engine, worker, jobs);
  await asleep.promise;
  const client = await fixture.connect();
  await client.query(`SELECT pawl.add_job('job', '{"a":1}')`);
  assert.deepEqual(await began.promise, { a: 1 });
  await stop();
  await worker.drain();
});
