import assert from 'node:assert/strict';
import type { ClaimRequest } from '../../../src/store/claim.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

async function enqueueMany(scene: Scene, count: number, options: JobOptions): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await scene.enqueue(options)).id);
  return ids;
}

/** How many jobs a claim takes of each queue. */
async function taken(scene: Scene, request: Partial<ClaimRequest>): Promise<object> {
  const counts: Record<string, number> = {};
  for (const { job } of await scene.claim(request)) {
    counts[job.queue] = (counts[job.queue] ?? 0) + 1;
  }
  return counts;
}

export const laneCases: Cases = {
  '[T38] within a lane: priority, then due time, then age': async (scene) => {
    const now = scene.clock.now();
    const later = await scene.enqueue({ runAt: now - 10 });
    const young = await scene.enqueue({ runAt: now - 20 });
    const old = await scene.enqueue({ runAt: now - 30 });
    const twin = await scene.enqueue({ runAt: now - 20 });
    const urgent = await scene.enqueue({ priority: 5 });
    const idle = await scene.enqueue({ priority: -1, runAt: now - 1_000 });
    const order: string[] = [];
    for (let n = 0; n < 6; n++) order.push((await scene.claimOne()).id);
    const expected = [urgent, old, young, twin, later, idle];
    assert.deepEqual(
      order,
      expected.map(({ id }) => id),
    );
  },

  'age is the order of insertion, whatever the ids': async (scene) => {
    const runAt = scene.clock.now();
    const high = await scene.enqueue({ id: 'ffffffff-ffff-7fff-bfff-ffffffffffff', runAt });
    const low = await scene.enqueue({ id: '00000000-0000-7000-8000-000000000001', runAt });
    assert.equal((await scene.claimOne()).id, high.id);
    assert.equal((await scene.claimOne()).id, low.id);
  },

  'a claim takes at most what it asks for': async (scene) => {
    await enqueueMany(scene, 5, {});
    assert.equal((await scene.claim({ max: 2 })).length, 2);
    assert.equal((await scene.claim({ max: 0 })).length, 0);
    assert.equal((await scene.claim({ max: 10 })).length, 3);
    assert.equal((await scene.claim({ max: 10 })).length, 0);
  },

  'each lane gives an equal share of what is still wanted, rounded up': async (scene) => {
    for (const queue of ['a', 'b', 'c']) await enqueueMany(scene, 10, { queue });
    assert.deepEqual(await taken(scene, { max: 10 }), { a: 4, b: 3, c: 3 });
  },

  'what a short lane cannot give is shared by those after it': async (scene) => {
    await enqueueMany(scene, 1, { queue: 'a' });
    await enqueueMany(scene, 10, { queue: 'b' });
    await enqueueMany(scene, 10, { queue: 'c' });
    assert.deepEqual(await taken(scene, { max: 9 }), { a: 1, b: 4, c: 4 });
  },

  'a second round takes what is left in the order of the lanes': async (scene) => {
    await enqueueMany(scene, 10, { queue: 'a' });
    await enqueueMany(scene, 10, { queue: 'b' });
    await enqueueMany(scene, 1, { queue: 'c' });
    assert.deepEqual(await taken(scene, { max: 9 }), { a: 5, b: 3, c: 1 });
  },

  'lanes are visited in the order of their first jobs': async (scene) => {
    await enqueueMany(scene, 3, { queue: 'first' });
    scene.clock.advance(1);
    await enqueueMany(scene, 3, { queue: 'second' });
    await enqueueMany(scene, 1, { queue: 'urgent', priority: 1 });
    await enqueueMany(scene, 3, { queue: 'urgent' });
    assert.deepEqual(await taken(scene, { max: 1 }), { urgent: 1 });
    assert.deepEqual(await taken(scene, { max: 1 }), { first: 1 });
    assert.deepEqual(await taken(scene, { max: 4 }), { first: 2, second: 1, urgent: 1 });
  },

  'tenants share a claim fairly, however much one of them has queued': async (scene) => {
    const other = scene.otherTenant();
    const type = `shared-by-${scene.tenant}`;
    for (const one of [scene, other]) await one.type(type, 'task');
    await enqueueMany(scene, 20, { type });
    await enqueueMany(other, 2, { type });
    const won = await scene.claim({ tenants: null, types: [type], max: 4 });
    const mine = won.filter(({ job }) => job.tenant === scene.tenant);
    assert.deepEqual([mine.length, won.length], [2, 4]);
  },

  'types of one queue are lanes of their own': async (scene) => {
    await scene.type('mail', 'task');
    await scene.type('report', 'task');
    await enqueueMany(scene, 10, { type: 'mail' });
    await enqueueMany(scene, 10, { type: 'report' });
    const won = await scene.claim({ max: 4 });
    assert.equal(won.filter(({ job }) => job.type === 'mail').length, 2);
  },

  'a claim takes only the types, queues and tenants it names': async (scene) => {
    const other = scene.otherTenant();
    for (const one of [scene, other]) {
      await one.type('mail', 'task');
      await one.type('report', 'task');
    }
    const wanted = await scene.enqueue({ type: 'mail', queue: 'fast' });
    await scene.enqueue({ type: 'mail', queue: 'slow' });
    await scene.enqueue({ type: 'report', queue: 'fast' });
    await other.enqueue({ type: 'mail', queue: 'fast' });
    const won = await scene.claim({ types: ['mail', 'none'], queues: ['fast', 'none'] });
    assert.deepEqual(
      won.map(({ job }) => job.id),
      [wanted.id],
    );
    assert.deepEqual(await scene.claim({ types: [] }), []);
    assert.deepEqual(await scene.claim({ queues: [] }), []);
    assert.deepEqual(await scene.claim({ tenants: [] }), []);
    assert.equal((await scene.claim({ tenants: [scene.tenant, other.tenant] })).length, 3);
  },
};
