import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import type { Revisions } from '../../../src/core/revision.ts';
import type { Cases, Scene } from './scene.ts';

function offer(name: string, pin: boolean = true): { revisions: Revisions } {
  return { revisions: { task: { name, pin } } };
}

const PLAIN = offer('v1', false);

/** A job that `v1` has begun, pinned to it, and given back. */
async function pinned(scene: Scene): Promise<Job> {
  await scene.enqueue();
  return scene.ask(await scene.claimOne(offer('v1')), { on: 'release' });
}

function isFixed({ revision, isPinned }: Job): [string | null, boolean] {
  return [revision, isPinned];
}

async function idsOf(scene: Scene, request: Parameters<Scene['claim']>[0]): Promise<string[]> {
  return (await scene.claim(request)).map(({ job }) => job.id).toSorted();
}

export const revisionCases: Cases = {
  'the first claim that offers a revision fixes it, and the job keeps it to its end': async (
    scene,
  ) => {
    const born = await scene.enqueue();
    assert.deepEqual(isFixed(born), [null, false]);
    const first = await scene.claimOne(PLAIN);
    assert.deepEqual(isFixed(first), ['v1', false]);
    assert.deepEqual(await scene.read(born), first, 'what the claim said is what is stored');
    const waiting = await scene.ask(first, { on: 'release' });
    assert.deepEqual(isFixed(waiting), ['v1', false]);
    const second = await scene.claimOne(offer('v2'));
    assert.deepEqual(isFixed(second), ['v1', false], 'neither the name nor the pin is another');
    assert.deepEqual(await scene.read(born), second);
    const ended = await scene.ask(second, { on: 'succeed' });
    assert.deepEqual(isFixed(ended), ['v1', false]);
  },

  'a claim without revisions leaves a job without one': async (scene) => {
    await scene.enqueue();
    const first = await scene.claimOne();
    assert.deepEqual(isFixed(first), [null, false]);
    await scene.ask(first, { on: 'release' });
    const of = { other: { name: 'v1', pin: true } };
    const second = await scene.claimOne({ revisions: of });
    assert.deepEqual(isFixed(second), [null, false], 'it is offered for another type');
    await scene.ask(second, { on: 'release' });
    const third = await scene.claimOne(offer('v3'));
    assert.deepEqual(isFixed(third), ['v3', true]);
  },

  'a pinned job is given only to claims that offer its revision': async (scene) => {
    const { id } = await pinned(scene);
    assert.deepEqual(await scene.claim(), []);
    assert.deepEqual(await scene.claim(offer('v2')), []);
    const again = await scene.claimOne(offer('v1', false));
    assert.deepEqual([again.id, ...isFixed(again)], [id, 'v1', true]);
    const done = await scene.ask(again, { on: 'succeed' });
    assert.deepEqual([done.type, ...isFixed(done)], ['task', 'v1', true]);
  },

  'jobs that wait for their revision are in no other job’s way': async (scene) => {
    for (let n = 0; n < 3; n++) await scene.enqueue();
    const old = (await scene.claim(offer('v1'))).map(({ job }) => job);
    for (const job of old) await scene.ask(job, { on: 'release' });
    const fresh = await scene.enqueue();
    assert.deepEqual(await idsOf(scene, { ...offer('v2'), max: 1 }), [fresh.id]);
    const both = await scene.enqueue();
    const wanted = [...old, both].map(({ id }) => id).toSorted();
    assert.deepEqual(await idsOf(scene, offer('v1')), wanted);
  },

  'a claim fixes the revisions of several types and queues, each by its own offer': async (
    scene,
  ) => {
    for (const type of ['mail', 'report', 'plain']) await scene.type(type, 'task');
    for (const type of ['mail', 'report', 'plain']) {
      for (const queue of ['a', 'b']) await scene.enqueue({ type, queue });
    }
    const mail = { name: 'v1', pin: true };
    const report = { name: 'v7', pin: false };
    const won = await scene.claim({ revisions: { mail, report } });
    const told = won.map(({ job }) => [job.type, job.queue, ...isFixed(job)].join(' '));
    assert.deepEqual(told.toSorted(), [
      'mail a v1 true',
      'mail b v1 true',
      'plain a  false',
      'plain b  false',
      'report a v7 false',
      'report b v7 false',
    ]);
    for (const { job } of won) assert.deepEqual(await scene.read(job), job);
    for (const { job } of won) await scene.ask(job, { on: 'release' });
    assert.equal((await scene.claim()).length, 4);
    const rest = await scene.claim({ revisions: { mail }, queues: ['b'] });
    assert.deepEqual(
      rest.map(({ job }) => [job.type, job.queue]),
      [['mail', 'b']],
    );
  },

  'a repeated claim answers with the revisions that the first one fixed': async (scene) => {
    await scene.enqueue();
    const asked = { ...offer('v1'), requestId: 'r', owner: 'ada' };
    const first = await scene.claimOne(asked);
    assert.deepEqual(await scene.claimOne(asked), first);
    assert.deepEqual(isFixed(first), ['v1', true]);
  },

  'a pinned job counts in its queue and its type as every other': async (scene) => {
    const { id } = await pinned(scene);
    const limit = { tenant: scene.tenant, scope: 'type', name: 'task', actor: 'api' } as const;
    await scene.store.putDispatchRule({ ...limit, concurrency: 1 });
    const counted = (await scene.store.tally(scene.tenant)).filter(
      ({ phase }) => phase === 'ready',
    );
    assert.deepEqual(
      counted.map(({ type, queue, count }) => [type, queue, count]),
      [['task', 'default', 1]],
    );
    const fresh = await scene.enqueue();
    assert.deepEqual(await idsOf(scene, { ...offer('v1'), max: 1 }), [id]);
    assert.deepEqual(await scene.claim(), [], `${fresh.id} has to wait for the one slot`);
    const { jobs } = await scene.store.list({ tenant: scene.tenant, type: 'task', limit: 9 });
    assert.equal(jobs.length, 2);
    await scene.store.putDispatchRule({ ...limit, concurrency: null });
  },

  'those before a pinned job are those of its revision': async (scene) => {
    const first = await pinned(scene);
    for (let n = 0; n < 3; n++) await scene.enqueue({ priority: 9 });
    const ref = { tenant: scene.tenant, id: first.id };
    const standing = await scene.store.standing(ref);
    assert.deepEqual([standing?.ahead, standing?.wait, standing?.owned.type], [0, 'claim', 0]);
  },
};
