import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openMemoryStore } from './store.ts';

function openScene(): Scene {
  const clock = new ManualClock();
  const lifecycles = builtInLifecycles;
  return new Scene({ store: openMemoryStore({ clock, lifecycles }), clock, lifecycles });
}

describe('the memory store', () => {
  test('gives out values that nobody can change', async () => {
    const scene = openScene();
    const job = await scene.running();
    assert.throws(() => Object.assign(job, { state: 'succeeded' }), TypeError);
    const [event] = await scene.events(job);
    assert.throws(() => Object.assign(event!, { version: 9 }), TypeError);
  });

  test('is not changed through what was handed in', async () => {
    const scene = openScene();
    const job = await scene.running();
    const details = { tries: 1 };
    const error = { class: 'internal_bug', message: 'no', details };
    await scene.ask(job, { on: 'fail', error });
    details.tries = 2;
    assert.deepEqual((await scene.read(job)).error!.details, { tries: 1 });
  });

  test('takes back all of an insert that fails half-way', async () => {
    const scene = openScene();
    const good = await scene.newJob({
      idempotency: { key: 'k', payloadHash: 'h', windowMs: 1_000 },
    });
    const bad = { ...(await scene.newJob()), policy: 99 };
    await assert.rejects(scene.store.insert([good, bad]), { outcome: 'refused' });
    assert.deepEqual(await scene.store.read([good]), [null]);
    assert.deepEqual(await scene.events(good), []);
    const [outcome] = await scene.store.insert([good]);
    assert.equal(outcome!.kind, 'created');
    const { items } = await scene.store.tail({ tenant: null, from: 'start', limit: 9 });
    assert.equal(items.length, 1);
  });

  test('refuses an unknown lifecycle, a payload that is no JSON and a birth nowhere', async () => {
    const scene = openScene();
    const job = await scene.newJob();
    for (const fault of [{ lifecycle: 'other' }, { input: '{' }, { places: [] }]) {
      await assert.rejects(scene.store.insert([{ ...job, ...fault }]), { outcome: 'refused' });
    }
  });

  test("answers another store's cursor with a reset", async () => {
    const [one, other] = [openScene(), openScene()];
    const { cursor } = await one.store.tail({ tenant: null, from: 'end', limit: 1 });
    const page = await other.store.tail({ tenant: null, from: { cursor }, limit: 1 });
    assert.equal(page.isReset, true);
  });

  test('answers nothing once it is closed', async () => {
    const scene = openScene();
    await scene.store.close();
    await assert.rejects(scene.store.now(), { name: 'StoreError', outcome: 'unchanged' });
    await scene.store.close();
  });
});
