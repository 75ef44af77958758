import assert from 'node:assert/strict';
import type { EndCount, EndSum, Grain } from '../../../src/records/ends.ts';
import type { Cases, Scene } from './scene.ts';

const MINUTE = 60_000;

function counted(scene: Scene, more: Partial<EndCount> = {}): EndCount {
  const tenant = scene.tenant;
  const grain = 'short';
  return { tenant, grain, at: 0, type: 'export', outcome: 'succeeded', bin: 7, count: 1, ...more };
}

async function sums(scene: Scene, since: number = 0, grain: Grain = 'short'): Promise<EndSum[]> {
  const found = await scene.records.ends.sum({ tenant: scene.tenant, grain, since });
  return found.toSorted((one, other) => (one.bin ?? -1) - (other.bin ?? -1));
}

export const measureCases: Cases = {
  'counts are added together with the step of their reader, once': async (scene) => {
    const { ends } = scene.records;
    const step = { reader: scene.tenant, from: null, to: 'a', forgetBefore: null };
    const counts = [counted(scene), counted(scene, { bin: null, outcome: 'cancelled' })];
    assert.equal(await ends.readTo(scene.tenant), null);
    assert.equal(await ends.add({ ...step, counts }), true);
    assert.equal(await ends.add({ ...step, counts }), false, 'the same step again');
    const next = { ...step, from: 'a', to: 'b', counts: [counted(scene, { count: 4 })] };
    assert.equal(await ends.add(next), true);
    assert.equal(await ends.readTo(scene.tenant), 'b');
    assert.deepEqual(await sums(scene), [
      { type: 'export', outcome: 'cancelled', bin: null, count: 1 },
      { type: 'export', outcome: 'succeeded', bin: 7, count: 5 },
    ]);
  },

  'of two readers who make the same step at once, one adds': async (scene) => {
    const { ends } = scene.records;
    const step = { reader: scene.tenant, from: null, to: 'a', forgetBefore: null };
    const both = [1, 2].map(() => ends.add({ ...step, counts: [counted(scene)] }));
    assert.deepEqual(new Set(await Promise.all(both)), new Set([false, true]));
    assert.equal((await sums(scene))[0]!.count, 1);
  },

  'counts are summed from a time on, and old ones are forgotten when told': async (scene) => {
    const { ends } = scene.records;
    const short = [0, 5, 10].map((minute) => counted(scene, { at: minute * MINUTE }));
    const counts = [...short, counted(scene, { grain: 'long', count: 3 })];
    const step = { reader: scene.tenant, from: null, to: 'a', counts, forgetBefore: null };
    await ends.add(step);
    const countSince = async (at: number) => (await sums(scene, at)).map(({ count }) => count);
    assert.deepEqual(await countSince(0), [3]);
    assert.deepEqual(await countSince(5 * MINUTE), [2]);
    assert.deepEqual(await countSince(11 * MINUTE), []);
    const forgetBefore = { short: 5 * MINUTE, long: 0 };
    const forget = { from: 'a', to: 'b', counts: [], forgetBefore };
    await ends.add({ ...step, ...forget });
    assert.deepEqual(await countSince(0), [2]);
    assert.equal((await sums(scene, 0, 'long'))[0]!.count, 3, 'long stretches stay');
  },

  'outcomes of a tenant are not told to another': async (scene) => {
    const other = scene.otherTenant();
    const type = `export of ${scene.tenant}`;
    const counts = [counted(scene, { type }), counted(other, { type, count: 2 })];
    const step = { reader: scene.tenant, from: null, to: 'a', counts, forgetBefore: null };
    await scene.records.ends.add(step);
    assert.deepEqual(
      (await sums(scene)).map(({ count }) => count),
      [1],
    );
    const all = await scene.records.ends.sum({ tenant: null, grain: 'short', since: 0 });
    assert.equal(all.find((one) => one.type === type)!.count, 3, 'all tenants together');
  },

  'dead letters that nobody replayed are counted by type': async (scene) => {
    const type = `distributed-${scene.tenant}`;
    await scene.type(type, 'distributed');
    const open = async () => {
      const letters = await scene.records.deadLetters.countOpen();
      return letters.find((one) => one.type === type)?.count ?? 0;
    };
    const job = await scene.running({ type });
    assert.equal(await open(), 0);
    await scene.ask(job, { on: 'deadLetter', reason: 'timeout', message: 'gone' });
    assert.equal(await open(), 1);
    const [letter] = await scene.deadLetters();
    await scene.replay(letter!.id, { type });
    assert.equal(await open(), 0);
  },

  'how far the log is behind, and what the store says of itself, are numbers': async (scene) => {
    await scene.enqueue();
    const { tailLagMs, gauges } = await scene.store.maintenance.vitals();
    assert.ok(tailLagMs >= 0);
    for (const value of Object.values(gauges)) assert.ok(Number.isFinite(value));
  },
};
