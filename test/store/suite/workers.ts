import assert from 'node:assert/strict';
import { WORKER_GONE_MS, type WorkerSign } from '../../../src/store/worker-registry.ts';
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
  const workers = await scene.store.roster.workers(to?.tenant ?? null);
  return workers.filter(({ id }) => id.endsWith(`-of-${scene.tenant}`));
}

export const workerCases: Cases = {
  'a worker is listed from its first sign on, and later ones say how it is': async (scene) => {
    const startedAt = scene.clock.now();
    const sign = signOf(scene);
    await scene.store.roster.beatWorkers([sign]);
    const first = { ...sign, startedAt, lastBeatAt: startedAt, jobIds: [] };
    assert.deepEqual(await listed(scene), [first]);
    const lastBeatAt = scene.clock.advance(10_000);
    const change = { state: 'draining', types: ['task', 'mail'], slots: null } as const;
    await scene.store.roster.beatWorkers([{ ...sign, ...change }]);
    assert.deepEqual(await listed(scene), [{ ...first, ...change, lastBeatAt }]);
  },

  'a worker that has stopped or was not heard of for long is gone': async (scene) => {
    const [one, other] = [signOf(scene), signOf(scene, { id: `w2-of-${scene.tenant}` })];
    await scene.store.roster.beatWorkers([one, other]);
    await scene.store.roster.beatWorkers([{ ...one, state: 'stopped' }]);
    assert.deepEqual(
      (await listed(scene)).map(({ id }) => id),
      [other.id],
    );
    scene.clock.advance(WORKER_GONE_MS);
    assert.deepEqual(await listed(scene), []);
    const startedAt = scene.clock.now();
    await scene.store.roster.beatWorkers([other]);
    assert.equal((await listed(scene))[0]?.startedAt, startedAt);
  },

  'what is gathered of a worker gives way to what it says itself': async (scene) => {
    const gathered = signOf(scene, { host: null, slots: null, types: ['a'], isAnnounced: false });
    await scene.store.roster.beatWorkers([gathered]);
    await scene.store.roster.beatWorkers([{ ...gathered, types: ['b'] }]);
    assert.deepEqual((await listed(scene))[0]?.types, ['b']);
    await scene.store.roster.beatWorkers([signOf(scene)]);
    const lastBeatAt = scene.clock.advance(1_000);
    await scene.store.roster.beatWorkers([gathered]);
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
    await scene.store.roster.beatWorkers([
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
      (await scene.store.roster.workers('nobody-yet')).flatMap(({ jobIds }) => jobIds),
      [],
    );
  },

  'the log has a name, the same whoever asks': async (scene) => {
    const name = await scene.store.incarnation();
    assert.match(name, /^[\w-]{1,64}$/);
    assert.equal(await scene.store.incarnation(), name);
  },
};
