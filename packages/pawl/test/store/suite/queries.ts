import assert from 'node:assert/strict';
import type { JobQuery } from '../../../src/store/query.ts';
import { byBytes } from '../../../src/store/byte-order.ts';
import type { QueueRange, Tally } from '../../../src/store/tally.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

async function found(scene: Scene, query: Partial<JobQuery>): Promise<string[]> {
  const page = await scene.store.list({ tenant: scene.tenant, limit: 100, ...query });
  return page.jobs.map(({ input }) => input);
}

/** Jobs in the order of their ids, named by their input. */
async function enqueueAll(scene: Scene, all: Record<string, JobOptions>): Promise<void> {
  for (const [label, options] of Object.entries(all)) {
    scene.clock.advance(1);
    await scene.enqueue({ ...options, input: JSON.stringify(label) });
  }
}

function byKey(one: Tally, other: Tally): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

export const queryCases: Cases = {
  'read answers in the order asked, null for what is not there': async (scene) => {
    const one = await scene.enqueue();
    const two = await scene.enqueue();
    const gone = { tenant: scene.tenant, id: scene.ids.next() };
    const foreign = { tenant: 'nobody', id: one.id };
    const read = await scene.store.read([two, gone, one, foreign, two]);
    assert.deepEqual(read, [two, null, one, null, two]);
    assert.deepEqual(await scene.store.read([]), []);
  },

  'list gives the newest first, page by page': async (scene) => {
    await enqueueAll(scene, { a: {}, b: {}, c: {}, d: {}, e: {} });
    const query = { tenant: scene.tenant, limit: 2 };
    const one = await scene.store.list(query);
    const two = await scene.store.list({ ...query, before: one.jobs.at(-1)!.id });
    const three = await scene.store.list({ ...query, before: two.jobs.at(-1)!.id });
    const pages = [one, two, three].map(({ jobs, hasMore }) => {
      return [...jobs.map(({ input }) => JSON.parse(input) as string), hasMore];
    });
    assert.deepEqual(pages, [
      ['e', 'd', true],
      ['c', 'b', true],
      ['a', false],
    ]);
    const exact = await scene.store.list({ ...query, limit: 5 });
    assert.deepEqual([exact.jobs.length, exact.hasMore], [5, false]);
    assert.deepEqual(exact.jobs[4], await scene.read(exact.jobs[4]!));
  },

  'list filters by everything it is asked to, together': async (scene) => {
    const parentJobId = scene.ids.next();
    await scene.type('mail', 'task');
    await enqueueAll(scene, {
      mail: { type: 'mail', queue: 'fast', documentId: 'd1' },
      slow: { type: 'mail', queue: 'slow', correlationId: 'c1' },
      held: { type: 'platform', submit: false, documentId: 'd1' },
      child: { type: 'platform', parentJobId, correlationId: 'c1' },
    });
    assert.deepEqual(await found(scene, { type: 'mail' }), ['"slow"', '"mail"']);
    assert.deepEqual(await found(scene, { queue: 'fast' }), ['"mail"']);
    assert.deepEqual(await found(scene, { state: 'CREATED' }), ['"held"']);
    assert.deepEqual(await found(scene, { phase: 'ready' }), ['"child"', '"slow"', '"mail"']);
    assert.deepEqual(await found(scene, { documentId: 'd1' }), ['"held"', '"mail"']);
    assert.deepEqual(await found(scene, { correlationId: 'c1' }), ['"child"', '"slow"']);
    assert.deepEqual(await found(scene, { parentJobId }), ['"child"']);
    assert.deepEqual(await found(scene, { documentId: 'd1', phase: 'held' }), ['"held"']);
    assert.deepEqual(await found(scene, { documentId: 'd1', queue: 'slow' }), []);
  },

  'list shows nothing of another tenant': async (scene) => {
    await scene.enqueue();
    const other = scene.otherTenant();
    assert.deepEqual(await found(other, {}), []);
  },

  '[T38] the tally counts who stands where by priority class, ended jobs left out': async (
    scene,
  ) => {
    const now = scene.clock.now();
    await scene.type('mail', 'task');
    await scene.running({ type: 'mail', runAt: now - 5 });
    await scene.ask(await scene.running(), { on: 'succeed' });
    await scene.enqueue({ type: 'mail', runAt: now + 50 });
    await scene.enqueue({ type: 'mail', runAt: now + 40 });
    await scene.enqueue({ type: 'mail', queue: 'slow', priority: 99 });
    for (const priority of [100, 200]) {
      await scene.enqueue({ type: 'mail', queue: 'slow', priority });
    }
    await scene.enqueue({ type: 'platform', submit: false });
    const isAtLeast = false;
    const normal = { tenant: scene.tenant, priorityClass: 'normal', isAtLeast } as const;
    const mail = { ...normal, type: 'mail' } as const;
    const pending = { ...mail, state: 'pending', phase: 'ready' } as const;
    const expected: Tally[] = [
      { ...pending, queue: 'default', count: 2, oldestRunAt: now + 40 },
      { ...pending, queue: 'slow', count: 1, oldestRunAt: now },
      { ...pending, priorityClass: 'high', queue: 'slow', count: 2, oldestRunAt: now },
      {
        ...mail,
        queue: 'default',
        state: 'running',
        phase: 'executing',
        count: 1,
        oldestRunAt: now - 5,
      },
      {
        ...normal,
        type: 'platform',
        queue: 'default',
        state: 'CREATED',
        phase: 'held',
        count: 1,
        oldestRunAt: now,
      },
    ];
    const tally = await scene.store.tally(scene.tenant);
    assert.deepEqual(tally.map(sorted).sort(byKey), expected.map(sorted).sort(byKey));
  },

  'the tally counts the first of each line and says that there may be more': async (scene) => {
    const now = scene.clock.now();
    await scene.type('mail', 'task');
    await scene.type('other', 'task');
    for (let owned = 0; owned < 3; owned++) await scene.running({ type: 'platform' });
    for (const runAt of [now, now - 1, now - 2, now + 20, now + 10, now + 30]) {
      await scene.enqueue({ type: 'mail', runAt });
    }
    await scene.enqueue({ type: 'mail', priority: 100, runAt: now - 1 });
    await scene.enqueue({ type: 'mail', queue: 'slow', runAt: now - 9 });
    await scene.enqueue({ type: 'other', submit: false });
    await scene.enqueue({ type: 'other', runAt: now + 5 });
    const seen = (await scene.store.tally(scene.tenant, { max: 2 })).map((one) =>
      [one.type, one.queue, one.phase, one.priorityClass, one.count, one.isAtLeast].join(' '),
    );
    assert.deepEqual(seen.toSorted(), [
      // Of the claimable the urgent one and the longest due, of the others the two due soonest.
      'mail default ready high 1 true',
      'mail default ready normal 3 true',
      'mail slow ready normal 1 false',
      'other default ready normal 2 false',
      'platform default executing normal 3 false',
    ]);
    const all = await scene.store.tally(scene.tenant, { max: 5 });
    const mail = all.filter(({ type, queue }) => type === 'mail' && queue === 'default');
    const oldest = mail.map((one) => `${one.oldestRunAt} ${one.count} ${one.isAtLeast}`);
    assert.deepEqual(oldest.toSorted(), [`${now - 2} 6 false`, `${now - 1} 1 false`]);
  },

  'the tally of some queues holds those that have jobs, by the bytes of their names': async (
    scene,
  ) => {
    const { clock, store, tenant } = scene;
    const later = clock.now() + 50;
    await scene.type('mail', 'task');
    await scene.running({ queue: 'ü' });
    await scene.ask(await scene.running({ queue: 'B' }), { on: 'succeed' });
    await scene.enqueue({ queue: 'b', runAt: later });
    await scene.enqueue({ queue: 'b', type: 'mail' });
    await scene.enqueue({ queue: 'a' });
    await scene.enqueue({ queue: '𝄞', type: 'platform', submit: false });
    await scene.otherTenant().enqueue({ queue: 'c' });
    const queues = async (range: QueueRange): Promise<string[]> => {
      const part = await store.tally(tenant, { queues: range });
      const names = [...new Set(part.map(({ queue }) => queue))];
      const whole = (await store.tally(tenant)).filter(({ queue }) => names.includes(queue));
      assert.deepEqual(part.map(sorted).sort(byKey), whole.map(sorted).sort(byKey));
      return names.toSorted(byBytes);
    };
    assert.deepEqual(await queues({ limit: 9 }), ['a', 'b', 'ü', '𝄞']);
    assert.deepEqual(await queues({ limit: 2 }), ['a', 'b']);
    assert.deepEqual(await queues({ after: 'a', limit: 2 }), ['b', 'ü']);
    assert.deepEqual(await queues({ from: 'b', limit: 1 }), ['b']);
    assert.deepEqual(await queues({ from: 'B', limit: 1 }), ['a'], 'its job has ended');
    assert.deepEqual(await queues({ after: '𝄞', limit: 1 }), []);
  },

  'the tally of all tenants holds that of each': async (scene) => {
    const other = scene.otherTenant();
    await scene.enqueue();
    await other.enqueue();
    const all = await scene.store.tally(null);
    for (const one of [scene, other]) {
      const own = all.filter(({ tenant }) => tenant === one.tenant);
      assert.deepEqual(own, await scene.store.tally(one.tenant));
      assert.deepEqual([own.length, own[0]!.count], [1, 1]);
    }
  },
};

/** Equal values may come with their members in another order. */
function sorted(tally: Tally): Tally {
  const members = Object.entries(tally).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members) as unknown as Tally;
}
