import assert from 'node:assert/strict';
import type { JobOptions } from './scene.ts';
import type { Cases } from './scene.ts';

const DAY_MS = 86_400_000;

function keyed(key: string, payloadHash: string, more: JobOptions = {}): JobOptions {
  return { ...more, idempotency: { key, payloadHash, windowMs: DAY_MS } };
}

export const idempotencyCases: Cases = {
  'items of a call come to be in their order, also where a key was used before': async (scene) => {
    const key = { key: 'k', payloadHash: 'h', windowMs: 1_000 };
    await scene.insert({ idempotency: key });
    await scene.claim();
    scene.clock.advance(1_000);
    const jobs = await Promise.all([
      scene.newJob({ queue: 'first', idempotency: key }),
      scene.newJob({ queue: 'second' }),
    ]);
    const outcomes = await scene.store.insert(jobs);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['created', 'created'],
    );
    assert.equal((await scene.claimOne()).id, jobs[0].id);
  },

  '[T9, R28] the same key and payload finds the existing job': async (scene) => {
    const job = await scene.enqueue(keyed('k', 'hash'));
    assert.deepEqual(await scene.insert(keyed('k', 'hash')), { kind: 'replayed', id: job.id });
    assert.equal((await scene.store.list({ tenant: scene.tenant, limit: 10 })).jobs.length, 1);
    assert.equal((await scene.events(job)).length, 1);
  },

  '[T9] the same key with another payload is a conflict': async (scene) => {
    const job = await scene.enqueue(keyed('k', 'hash'));
    assert.deepEqual(await scene.insert(keyed('k', 'other')), { kind: 'conflict', id: job.id });
  },

  '[T9] a key holds for its window, to the millisecond, and is then free': async (scene) => {
    const first = await scene.enqueue(keyed('k', 'hash'));
    scene.clock.advance(DAY_MS - 1);
    assert.equal((await scene.insert(keyed('k', 'hash'))).kind, 'replayed');
    scene.clock.advance(1);
    const second = await scene.enqueue(keyed('k', 'other'));
    assert.notEqual(second.id, first.id);
    const again = await scene.insert(keyed('k', 'other'));
    assert.deepEqual(again, { kind: 'replayed', id: second.id });
  },

  'a replay does not lengthen the window of its key': async (scene) => {
    await scene.enqueue(keyed('k', 'hash'));
    scene.clock.advance(DAY_MS - 1);
    assert.equal((await scene.insert(keyed('k', 'hash'))).kind, 'replayed');
    scene.clock.advance(1);
    assert.equal((await scene.insert(keyed('k', 'hash'))).kind, 'created');
  },

  'a key outlives the end of its job': async (scene) => {
    const { id } = await scene.enqueue(keyed('k', 'hash'));
    await scene.ask(await scene.claimOne(), { on: 'succeed' });
    assert.deepEqual(await scene.insert(keyed('k', 'hash')), { kind: 'replayed', id });
  },

  'the same key of two tenants makes two jobs': async (scene) => {
    const other = scene.otherTenant();
    assert.equal((await scene.insert(keyed('k', 'hash'))).kind, 'created');
    assert.equal((await other.insert(keyed('k', 'other'))).kind, 'created');
  },

  'the key is looked at before the id': async (scene) => {
    const first = await scene.enqueue(keyed('k', 'hash'));
    const second = await scene.enqueue();
    const outcome = await scene.insert(keyed('k', 'hash', { id: second.id }));
    assert.deepEqual(outcome, { kind: 'replayed', id: first.id });
  },

  'an id that is taken leaves the key free': async (scene) => {
    const taken = await scene.enqueue();
    const outcome = await scene.insert(keyed('k', 'hash', { id: taken.id }));
    assert.deepEqual(outcome, { kind: 'exists', id: taken.id });
    assert.equal((await scene.insert(keyed('k', 'other'))).kind, 'created');
  },

  '[R28] two items of one call with one key make one job': async (scene) => {
    const one = await scene.newJob(keyed('k', 'hash'));
    const same = await scene.newJob(keyed('k', 'hash'));
    const other = await scene.newJob(keyed('k', 'other'));
    const at = scene.clock.now();
    assert.deepEqual(await scene.store.insert([one, same, other]), [
      { kind: 'created', at },
      { kind: 'replayed', id: one.id },
      { kind: 'conflict', id: one.id },
    ]);
    assert.equal((await scene.store.list({ tenant: scene.tenant, limit: 10 })).jobs.length, 1);
  },

  '[R28] callers at the same time with one key make one job': async (scene) => {
    const jobs = await Promise.all(
      Array.from({ length: 8 }, () => scene.newJob(keyed('k', 'hash'))),
    );
    const outcomes = await Promise.all(jobs.map((job) => scene.store.insert([job])));
    const kinds = outcomes.map(([outcome]) => outcome!.kind).sort();
    assert.deepEqual(kinds, ['created', ...Array.from({ length: 7 }, () => 'replayed')]);
  },
};
