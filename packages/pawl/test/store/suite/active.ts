import assert from 'node:assert/strict';
import { limitPolicyOf } from '../../../src/core/limits.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

const FAILURE = { class: 'network_timeout', message: 'once more' };

/** A type of which each document has one active job. */
async function limited(
  scene: Scene,
  { type = 'export', lifecycle = 'task' }: { type?: string; lifecycle?: string } = {},
): Promise<void> {
  await scene.type(type, lifecycle, { limits: limitPolicyOf({ activePerDocument: true })! });
}

function exported(documentId: string | null, more: JobOptions = {}): JobOptions {
  return { type: 'export', documentId, ...more };
}

export const activeCases: Cases = {
  '[T10] a second job of a document is refused while the first has not ended': async (scene) => {
    await limited(scene);
    const first = await scene.enqueue(exported('d'));
    const busy = { kind: 'busy', id: first.id };
    assert.deepEqual(await scene.insert(exported('d')), busy);
    const running = await scene.claimOne();
    assert.deepEqual(await scene.insert(exported('d')), busy);
    await scene.ask(running, { on: 'fail', error: FAILURE });
    assert.deepEqual(await scene.insert(exported('d')), busy);
    await scene.ask(await scene.read(first), { on: 'cancel', reason: null });
    assert.equal((await scene.insert(exported('d'))).kind, 'created');
  },

  '[T10] other documents, types, tenants and jobs without one are free': async (scene) => {
    const other = scene.otherTenant();
    await limited(scene);
    await limited(scene, { type: 'convert' });
    await limited(other);
    for (const options of [exported('d'), exported('e'), exported(null), exported(null)]) {
      assert.equal((await scene.insert(options)).kind, 'created');
    }
    const convert = { type: 'convert', documentId: 'd' };
    assert.equal((await scene.insert(convert)).kind, 'created');
    assert.equal((await other.insert(exported('d'))).kind, 'created');
  },

  '[T10] of many at once exactly one is made, and the others are told which': async (scene) => {
    await limited(scene);
    const jobs = await Promise.all(Array.from({ length: 20 }, () => scene.newJob(exported('d'))));
    const outcomes = (await Promise.all(jobs.map((job) => scene.store.insert([job])))).flat();
    const made = jobs.filter((_, index) => outcomes[index]!.kind === 'created');
    assert.equal(made.length, 1);
    const busy = outcomes.filter(({ kind }) => kind === 'busy');
    assert.equal(busy.length, 19);
    for (const one of busy) assert.deepEqual(one, { kind: 'busy', id: made[0]!.id });
  },

  '[T10] of two in one call the first is made': async (scene) => {
    await limited(scene);
    const jobs = [await scene.newJob(exported('d')), await scene.newJob(exported('d'))];
    const [first, second] = await scene.store.insert(jobs);
    assert.equal(first!.kind, 'created');
    assert.deepEqual(second, { kind: 'busy', id: jobs[0]!.id });
  },

  '[T10] who is refused leaves its key free, and its dead letter unanswered': async (scene) => {
    await limited(scene, { lifecycle: 'distributed' });
    const idempotency = { key: 'k', payloadHash: 'h', windowMs: 60_000 };
    const failing = await scene.enqueue(exported('d')).then(() => scene.claimOne());
    const started = await scene.ask(failing, { on: 'start' });
    await scene.ask(started, { on: 'fail', error: { class: 'internal_bug', message: '' } });
    const [letter] = await scene.deadLetters();
    const active = await scene.enqueue(exported('d'));
    const replay = exported('d', { idempotency });
    const refused = await scene.replay(letter!.id, replay);
    assert.deepEqual(refused.kind === 'inserted' && refused.outcomes, [
      { kind: 'busy', id: active.id },
    ]);
    assert.equal((await scene.deadLetters())[0]!.replayedAs, null);
    await scene.ask(active, { on: 'cancel', reason: null });
    assert.equal((await scene.insert(replay)).kind, 'created');
  },

  '[T10] a repeat of the active job itself is no conflict': async (scene) => {
    await limited(scene);
    const idempotency = { key: 'k', payloadHash: 'h', windowMs: 60_000 };
    const first = await scene.enqueue(exported('d', { idempotency }));
    const again = await scene.insert(exported('d', { idempotency }));
    assert.deepEqual(again, { kind: 'replayed', id: first.id });
    const same = await scene.insert(exported('d', { id: first.id }));
    assert.deepEqual(same, { kind: 'exists', id: first.id });
  },
};
