import assert from 'node:assert/strict';
import type { TailItem, TailPage, TailQuery } from '../../../src/store/query.ts';
import type { Cases, Scene } from './scene.ts';

const TRIES_MAX = 500;

function name({ event }: TailItem): string {
  return `${event.jobId} ${event.version}.${event.note} ${event.type}`;
}

/**
 * Reads until so many items have come. A database may hold items back while other writers are
 * about to commit, so an empty page is no end; asking again is what a reader does.
 */
async function readItems(
  scene: Scene,
  start: Partial<TailQuery>,
  count: number,
): Promise<{ items: TailItem[]; cursor: string }> {
  const items: TailItem[] = [];
  let query: TailQuery = { tenant: scene.tenant, from: 'start', limit: 1_000, ...start };
  let cursor = '';
  for (let tries = 0; tries < TRIES_MAX && items.length < count; tries++) {
    const page: TailPage = await scene.store.tail(query);
    assert.equal(page.isReset, false);
    items.push(...page.items);
    cursor = page.cursor;
    query = { ...query, from: { cursor } };
  }
  assert.equal(items.length, count);
  return { items, cursor };
}

/** Four events and one note of one job. */
async function life(scene: Scene): Promise<string[]> {
  const job = await scene.running({ correlationId: 'c-9', traceId: 't-9' });
  await scene.renew(job);
  await scene.ask(job, { on: 'succeed' });
  return (await scene.events(job, true)).map((event) => {
    return `${event.jobId} ${event.version}.${event.note} ${event.type}`;
  });
}

export const tailCases: Cases = {
  'from a moment on all that happened since is told, in the order of the whole log': async (
    scene,
  ) => {
    const times: number[] = [];
    for (let number = 0; number < 4; number++) {
      times.push(scene.clock.now());
      await life(scene);
      // On PostgreSQL a minute more is read: entries of calls that overlap are not in order.
      scene.clock.advance(90_000);
    }
    const whole = (await readItems(scene, {}, 16)).items;
    for (const [index, at] of [...times, scene.clock.now()].entries()) {
      const from = { at };
      const page = await scene.store.tail({ tenant: scene.tenant, from, limit: 1_000 });
      const since = page.items.filter(({ event }) => event.at >= at).map(name);
      assert.deepEqual(since, whole.slice(index * 4).map(name), `from ${index} on`);
      assert.ok(page.items.length <= since.length + 4);
    }
  },

  'many notes of one write are told once each, in order, in pages of any size': async (scene) => {
    const job = await scene.running();
    const { cursor } = await scene.store.tail({ tenant: scene.tenant, from: 'end', limit: 1 });
    const lines = Array.from({ length: 900 }, (_, at) => `line ${at}`);
    const notes = lines.map((message) => ({ type: 'job_log', message, payload: null }) as const);
    await scene.renew(job, { notes });
    await scene.enqueue();
    for (const limit of [100, 300, 2_000]) {
      const told: (string | null)[] = [];
      for (let from = { cursor }; ;) {
        const page = await scene.store.tail({ tenant: scene.tenant, from, limit });
        told.push(...page.items.map(({ event }) => event.message));
        if (page.items.length === 0) break;
        from = { cursor: page.cursor };
      }
      assert.deepEqual(told, [null, ...lines, null], `${limit} at a time`);
    }
  },

  'the tail from its start has every event and note, in order': async (scene) => {
    const first = await life(scene);
    const second = await life(scene);
    const { items } = await readItems(scene, {}, 8);
    assert.deepEqual(items.map(name), [...first, ...second]);
    const { event, jobType, correlationId, traceId } = items[0]!;
    assert.deepEqual([jobType, correlationId, traceId], ['task', 'c-9', 't-9']);
    assert.deepEqual(event, (await scene.events({ id: event.jobId }))[0]);
  },

  'a filter leaves the events and phases that it names, of any kind of write': async (scene) => {
    const ended = await scene.running({ correlationId: 'c-1' });
    await scene.renew(ended);
    await scene.ask(ended, { on: 'succeed' });
    const open = await scene.enqueue();
    const only = { events: ['job_created'], phases: ['succeeded'] } as const;
    const { items } = await readItems(scene, { only, limit: 2 }, 3);
    assert.deepEqual(
      items.map(({ event }) => [event.jobId, event.type]),
      [
        [ended.id, 'job_created'],
        [ended.id, 'job_succeeded'],
        [open.id, 'job_created'],
      ],
    );
    assert.deepEqual(items[0]!.correlationId, 'c-1');
    const bare = await readItems(scene, { only, labels: false, limit: 1 }, 3);
    assert.deepEqual(bare.items[0]!.correlationId, null);
    assert.deepEqual(
      bare.items.map(({ cursor, event }) => ({ cursor, event })),
      items.map(({ cursor, event }) => ({ cursor, event })),
    );
  },

  'a filter adds to it for jobs that may be born behind a gate, and passes over the rest': async (
    scene,
  ) => {
    const id = '01890a5d-ac96-874b-9fc8-0123456789ab';
    await scene.enqueue();
    await scene.enqueue({ id });
    await scene.enqueue();
    const only = { gated: { events: ['job_created'] } } as const;
    const { items, cursor } = await readItems(scene, { only }, 1);
    assert.deepEqual([items[0]!.event.jobId, items[0]!.event.type], [id, 'job_created']);
    const rest = await scene.store.tail({ tenant: null, from: { cursor }, limit: 9 });
    assert.deepEqual(rest.items, [], 'it stands at the end of the log');
  },

  '[R23] an item has the correlation and the trace of its job': async (scene) => {
    await scene.enqueue({ correlationId: 'c-1', traceId: null });
    const { items } = await readItems(scene, {}, 1);
    assert.deepEqual([items[0]!.correlationId, items[0]!.traceId], ['c-1', null]);
  },

  'the tail from its end has only what comes after': async (scene) => {
    await life(scene);
    await readItems(scene, {}, 4);
    const end = await scene.store.tail({ tenant: scene.tenant, from: 'end', limit: 10 });
    assert.deepEqual([end.items, end.isReset], [[], false]);
    const later = await life(scene);
    const { items } = await readItems(scene, { from: { cursor: end.cursor } }, 4);
    assert.deepEqual(items.map(name), later);
  },

  'any page size joins without a gap or a repeat': async (scene) => {
    const all = [...(await life(scene)), ...(await life(scene))];
    for (const limit of [1, 2, 3, 7, 8, 9]) {
      const { items } = await readItems(scene, { limit }, 8);
      assert.deepEqual(items.map(name), all);
    }
  },

  'a reader goes on from the cursor of any item': async (scene) => {
    const all = [...(await life(scene)), ...(await life(scene))];
    const { items } = await readItems(scene, {}, 8);
    for (const [index, { cursor }] of items.entries()) {
      const rest = await readItems(scene, { from: { cursor } }, all.length - index - 1);
      assert.deepEqual(rest.items.map(name), all.slice(index + 1));
    }
  },

  'a cursor that found nothing goes on with what comes later': async (scene) => {
    await life(scene);
    const { cursor } = await readItems(scene, {}, 4);
    const empty = await scene.store.tail({ tenant: scene.tenant, from: { cursor }, limit: 5 });
    assert.deepEqual([empty.items, empty.isReset], [[], false]);
    const later = await life(scene);
    const { items } = await readItems(scene, { from: { cursor: empty.cursor } }, 4);
    assert.deepEqual(items.map(name), later);
  },

  'the events of a call for many jobs all come': async (scene) => {
    const jobs = await Promise.all(Array.from({ length: 30 }, () => scene.newJob()));
    await scene.store.insert(jobs);
    const { items } = await readItems(scene, { limit: 7 }, 30);
    assert.deepEqual(items.map(({ event }) => event.jobId).sort(), jobs.map(({ id }) => id).sort());
  },

  'writers at the same time leave nothing out': async (scene) => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => scene.newJob()));
    await Promise.all(jobs.map((job) => scene.store.insert([job])));
    const { items } = await readItems(scene, { limit: 3 }, 20);
    assert.equal(new Set(items.map(({ event }) => event.jobId)).size, 20);
  },

  'a tenant sees its own; no tenant sees all': async (scene) => {
    const other = scene.otherTenant();
    const { cursor } = await scene.store.tail({ tenant: null, from: 'end', limit: 1 });
    const mine = await scene.enqueue();
    const theirs = await other.enqueue();
    const own = await readItems(scene, {}, 1);
    assert.equal(own.items[0]!.event.jobId, mine.id);
    const from = { cursor };
    let found: string[] = [];
    for (let tries = 0; tries < TRIES_MAX && !found.includes(theirs.id); tries++) {
      const { items } = await scene.store.tail({ tenant: null, from, limit: 1_000 });
      found = items.map(({ event }) => event.jobId);
    }
    const wanted = new Set([mine.id, theirs.id]);
    assert.deepEqual(
      found.filter((id) => wanted.has(id)),
      [mine.id, theirs.id],
    );
  },

  'a cursor of another log is answered with a reset and a new cursor': async (scene) => {
    await life(scene);
    await readItems(scene, {}, 4);
    for (const cursor of ['', 'nonsense', '00000000-0000-4000-8000-000000000000.12']) {
      const query = { tenant: scene.tenant, from: { cursor }, limit: 10 };
      const page = await scene.store.tail(query);
      assert.deepEqual([page.isReset, page.items], [true, []]);
      const next = await scene.store.tail({ ...query, from: { cursor: page.cursor } });
      assert.deepEqual([next.isReset, next.items], [false, []]);
    }
  },
};
