import assert from 'node:assert/strict';
import { WORKER_GONE_MS, type WorkerSign } from '../../../src/records/workers.ts';
import type { Cases, Scene } from './scene.ts';

/** A sign with a name that no other test uses: workers for everybody are seen by every tenant. */
function signOf(scene: Scene, more: Partial<WorkerSign> = {}): WorkerSign {
  return {
    tenant: scene.tenant,
    id: `w1-of-${scene.tenant}`,
    host: 'host-1',
    pid: 7,
    version: '1.2.3',
    types: ['task'],
    slots: 4,
    state: 'working',
    isAnnounced: true,
    ...more,
  };
}

/** What is listed for this scene, without what other tests announced to everybody. */
async function listed(scene: Scene, to: Scene | null = scene) {
  const workers = await scene.records.workers.list(to?.tenant ?? null);
  return workers.filter(({ id }) => id.endsWith(`-of-${scene.tenant}`));
}

export const workerCases: Cases = {
  'a worker is listed from its first sign on, and later ones say how it is': async (scene) => {
    const startedAt = scene.clock.now();
    const sign = signOf(scene);
    await scene.records.workers.beat([sign]);
    const first = { ...sign, startedAt, lastBeatAt: startedAt, jobIds: [], isDrainAsked: false };
    assert.deepEqual(await listed(scene), [first]);
    const lastBeatAt = scene.clock.advance(10_000);
    const change = { state: 'draining', types: ['task', 'mail'], slots: null } as const;
    await scene.records.workers.beat([{ ...sign, ...change }]);
    assert.deepEqual(await listed(scene), [{ ...first, ...change, lastBeatAt }]);
  },

  'a worker that has stopped or was not heard of for long is gone': async (scene) => {
    const [one, other] = [signOf(scene), signOf(scene, { id: `w2-of-${scene.tenant}` })];
    await scene.records.workers.beat([one, other]);
    await scene.records.workers.beat([{ ...one, state: 'stopped' }]);
    assert.deepEqual(
      (await listed(scene)).map(({ id }) => id),
      [other.id],
    );
    scene.clock.advance(WORKER_GONE_MS);
    assert.deepEqual(await listed(scene), []);
    const startedAt = scene.clock.now();
    await scene.records.workers.beat([other]);
    assert.equal((await listed(scene))[0]?.startedAt, startedAt);
    await scene.records.workers.beat([one]);
    scene.clock.advance(WORKER_GONE_MS);
    await scene.records.workers.beat([other]);
    assert.ok((await scene.records.workers.forget(1_000)) >= 1);
    const left = await scene.store.records.list({
      kind: { name: 'worker' },
      tenants: [scene.tenant],
      limit: 9,
    });
    assert.deepEqual(
      left.records.map(({ id }) => id),
      [other.id],
    );
  },

  'a worker that is asked to drain hears of it with its next sign, until it has left': async (
    scene,
  ) => {
    const { workers } = scene.records;
    const sign = signOf(scene);
    assert.equal(await workers.askToDrain(sign), null);
    await workers.beat([{ ...sign, isAnnounced: false }]);
    assert.equal(await workers.askToDrain(sign), false, 'it does not announce itself');
    assert.deepEqual(await workers.beat([sign]), []);
    const lastBeatAt = scene.clock.now();
    scene.clock.advance(1_000);
    assert.equal(await workers.askToDrain(sign), true);
    const [asked] = await listed(scene);
    assert.deepEqual([asked?.isDrainAsked, asked?.lastBeatAt], [true, lastBeatAt]);
    assert.deepEqual(await workers.beat([sign]), [sign.id]);
    assert.deepEqual(await workers.beat([{ ...sign, state: 'draining' }]), [sign.id]);
    await workers.beat([{ ...sign, state: 'stopped' }]);
    assert.deepEqual(await workers.beat([sign]), [], 'who comes back was not asked');
  },

  'what is gathered of a worker gives way to what it says itself': async (scene) => {
    const gathered = signOf(scene, { host: null, slots: null, types: ['a'], isAnnounced: false });
    await scene.records.workers.beat([gathered]);
    await scene.records.workers.beat([{ ...gathered, types: ['b'] }]);
    assert.deepEqual((await listed(scene))[0]?.types, ['b']);
    await scene.records.workers.beat([signOf(scene)]);
    const lastBeatAt = scene.clock.advance(1_000);
    await scene.records.workers.beat([gathered]);
    const [worker] = await listed(scene);
    const { host, types, isAnnounced } = worker!;
    assert.deepEqual(
      { host, types, isAnnounced, lastBeatAt: worker!.lastBeatAt },
      { host: 'host-1', types: ['task'], isAnnounced: true, lastBeatAt },
    );
  },

  '[S3] a tenant sees its own workers and those for everybody, and its own jobs': async (scene) => {
    const other = scene.otherTenant();
    const id = `w3-of-${scene.tenant}`;
    await scene.records.workers.beat([
      signOf(scene, { id, tenant: null }),
      signOf(scene),
      signOf(scene, { id: `w9-of-${scene.tenant}`, tenant: other.tenant }),
    ]);
    const [mine, theirs] = [await scene.enqueue(), await other.enqueue()];
    for (const one of [scene, other]) await one.claim({ owner: id });
    const seen = async (to: Scene | null) =>
      (await listed(scene, to)).map((worker) => [worker.id.slice(0, 2), worker.jobIds]);
    assert.deepEqual(await seen(scene), [
      ['w1', []],
      ['w3', [mine.id]],
    ]);
    assert.deepEqual(await seen(other), [
      ['w3', [theirs.id]],
      ['w9', []],
    ]);
    const both = [mine.id, theirs.id].toSorted();
    assert.deepEqual(
      (await seen(null)).find(([name]) => name === 'w3'),
      ['w3', both],
    );
    assert.deepEqual(
      (await scene.records.workers.list('nobody-yet')).flatMap(({ jobIds }) => jobIds),
      [],
    );
  },

  'the log has a name, the same whoever asks': async (scene) => {
    const name = await scene.store.incarnation();
    assert.match(name, /^[\w-]{1,64}$/);
    assert.equal(await scene.store.incarnation(), name);
  },
};
