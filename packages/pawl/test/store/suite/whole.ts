import assert from 'node:assert/strict';
import type { NewJob } from '../../../src/store/insert.ts';
import type { Cases, Scene } from './scene.ts';

const WHOLE = { isWhole: true };
const key = (payloadHash: string) => ({ key: 'k', payloadHash, windowMs: 60_000 });

async function kindsOf(scene: Scene, jobs: readonly NewJob[]): Promise<string[]> {
  return (await scene.store.insert(jobs, WHOLE)).map(({ kind }) => kind);
}

/** None of them is there, and nobody was told of any. */
async function areNowhere(scene: Scene, jobs: readonly NewJob[]): Promise<void> {
  const refs = jobs.map(({ id }) => ({ tenant: scene.tenant, id }));
  const nothing = jobs.map(() => null);
  assert.deepEqual(await scene.store.read(refs), nothing);
  for (const job of jobs) assert.deepEqual(await scene.events(job), []);
}

export const wholeCases: Cases = {
  'a whole call is written as any other where nothing is in its way': async (scene) => {
    const jobs = await Promise.all([scene.newJob(), scene.newJob({ type: 'document' })]);
    assert.deepEqual(await kindsOf(scene, jobs), ['created', 'created']);
    for (const job of jobs) assert.equal((await scene.read(job)).id, job.id);
    assert.equal((await scene.claim()).length, 2);
    assert.deepEqual(await scene.store.insert([], WHOLE), []);
  },

  'a whole call with an id that is taken writes nothing': async (scene) => {
    const taken = await scene.newJob();
    await scene.store.insert([taken]);
    const others = [await scene.newJob(), await scene.newJob({ idempotency: key('h') })];
    const jobs = [others[0]!, taken, others[1]!];
    assert.deepEqual(await kindsOf(scene, jobs), ['created', 'exists', 'created']);
    await areNowhere(scene, others);
    assert.equal((await scene.store.insert([others[1]!]))[0]!.kind, 'created', 'its key is free');
  },

  'a whole call with a key of another payload writes nothing': async (scene) => {
    await scene.insert({ idempotency: key('one') });
    const other = await scene.newJob();
    const clash = await scene.newJob({ idempotency: key('two') });
    assert.deepEqual(await kindsOf(scene, [other, clash]), ['created', 'conflict']);
    await areNowhere(scene, [other, clash]);
  },

  'a whole call for a document that is busy writes nothing': async (scene) => {
    const limits = { activePerDocument: true, runningPerKey: null, rate: null };
    await scene.type('one', 'task', { limits });
    await scene.insert({ type: 'one', documentId: 'd' });
    const jobs = [
      await scene.newJob(),
      await scene.newJob({ type: 'one', documentId: 'e' }),
      await scene.newJob({ type: 'one', documentId: 'd' }),
    ];
    assert.deepEqual(await kindsOf(scene, jobs), ['created', 'created', 'busy']);
    await areNowhere(scene, jobs);
    assert.equal(
      (await scene.store.insert([jobs[1]!]))[0]!.kind,
      'created',
      'its document is free',
    );
  },

  'a job that stands for another is no obstacle to a whole call': async (scene) => {
    const first = await scene.newJob({ idempotency: key('h') });
    const unique = { key: 'u', mode: 'throttle', windowMs: 60_000, waitMaxMs: 0 } as const;
    const window = await scene.newJob({ unique });
    await scene.store.insert([first, window]);
    const fresh = await scene.newJob();
    const jobs = [
      await scene.newJob({ idempotency: key('h') }),
      fresh,
      await scene.newJob({ unique }),
    ];
    const outcomes = await scene.store.insert(jobs, WHOLE);
    assert.deepEqual(outcomes, [
      { kind: 'replayed', id: first.id },
      { kind: 'created', at: scene.clock.now() },
      { kind: 'throttled', id: window.id },
    ]);
    assert.equal((await scene.read(fresh)).phase, 'ready');
  },

  'items of a whole call that clash with each other refuse it': async (scene) => {
    const one = await scene.newJob({ idempotency: key('one') });
    const two = await scene.newJob({ idempotency: key('two') });
    assert.deepEqual(await kindsOf(scene, [one, two]), ['created', 'conflict']);
    await areNowhere(scene, [one, two]);
  },

  'a policy without a type has a number of its own, and an equal one the same': async (scene) => {
    const policy = await scene.type('task', 'task');
    const own = { ...policy, retry: { ...policy.retry, maxAttempts: 17 } };
    const number = await scene.store.putPolicy(own);
    assert.equal(await scene.store.putPolicy(structuredClone(own)), number);
    assert.deepEqual(await scene.store.policies([number]), [own]);
    const job = { ...(await scene.newJob()), policy: number, maxAttempts: 17 };
    await scene.store.insert([job]);
    const { policy: lives, maxAttempts } = await scene.claimOne();
    assert.deepEqual([lives, maxAttempts], [number, 17]);
  },
};
