import assert from 'node:assert/strict';
import type { Request } from '../../../src/core/decision.ts';
import type { Job } from '../../../src/core/job.ts';
import { type LimitDefinition, limitPolicyOf } from '../../../src/core/limits.ts';
import type { Policy } from '../../../src/core/policy.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

const FAILURE = { class: 'network_timeout', message: 'once more' };

/** A type with these limits; `task` if no other lifecycle is named. */
async function limited(
  scene: Scene,
  limits: LimitDefinition,
  more: { lifecycle?: string; type?: string; policy?: Partial<Policy> } = {},
): Promise<void> {
  const { lifecycle = 'task', type = 'export', policy = {} } = more;
  await scene.type(type, lifecycle, { ...policy, limits: limitPolicyOf(limits)! });
}

function exported(documentId: string | null, more: JobOptions = {}): JobOptions {
  return { type: 'export', documentId, ...more };
}

async function enqueueMany(scene: Scene, count: number, options: JobOptions): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let n = 0; n < count; n++) jobs.push(await scene.enqueue(options));
  return jobs;
}

/** Ids of what a claim wins, in the order in which they were made. */
async function wonIds(scene: Scene, max = 100): Promise<string[]> {
  return (await scene.claim({ max })).map(({ job }) => job.id).sort();
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function idsOf(jobs: readonly { id: string }[]): string[] {
  return jobs.map(({ id }) => id).sort();
}

/** Everything that ends an owner's time with a job, and whether the job is then done with. */
const ENDINGS: readonly (readonly [title: string, request: Request])[] = [
  ['a success', { on: 'succeed' }],
  ['a failure', { on: 'fail', error: { class: 'broken', message: '' } }],
  ['a retry', { on: 'fail', error: FAILURE }],
  ['a snooze', { on: 'snooze', delayMs: 60_000 }],
  ['a cancel', { on: 'cancel', reason: null }],
];

const freeing: Cases = Object.fromEntries(
  ENDINGS.map(([title, request]) => [
    `[T11] ${title} lets the next job of its key in`,
    async (scene: Scene): Promise<void> => {
      await limited(scene, { runningPerKey: 1 });
      const [first, second] = await enqueueMany(scene, 3, exported('d'));
      const running = await scene.claimOne();
      assert.equal(running.id, first!.id);
      assert.deepEqual(await scene.claim(), []);
      await scene.ask(running, request);
      assert.deepEqual(await wonIds(scene), [second!.id]);
    },
  ]),
);

const keys: Cases = {
  '[T11] of one key at most so many are claimed, and the rest is parked': async (scene) => {
    await limited(scene, { runningPerKey: 2 });
    const jobs = await enqueueMany(scene, 5, exported('d'));
    assert.deepEqual(await wonIds(scene), idsOf(jobs.slice(0, 2)));
    assert.deepEqual(await scene.claim(), []);
    for (const job of jobs.slice(2)) assert.equal((await scene.read(job)).phase, 'ready');
  },

  '[T11] jobs that come as one set are let in one by one': async (scene) => {
    await limited(scene, { runningPerKey: 2 });
    const jobs = [];
    for (let n = 0; n < 9; n++) jobs.push(await scene.newJob(exported(n % 3 === 0 ? 'x' : 'y')));
    await scene.store.insert(jobs);
    const won = await scene.claim();
    const documents = won.map(({ job }) => job.documentId ?? '').sort(byText);
    assert.deepEqual(documents, ['x', 'x', 'y', 'y']);
  },

  '[T11] other documents, types and tenants have slots of their own': async (scene) => {
    const other = scene.otherTenant();
    for (const one of [scene, other]) {
      await limited(one, { runningPerKey: 1 });
      await limited(one, { runningPerKey: 1 }, { type: 'convert' });
    }
    const mine = [
      await scene.enqueue(exported('d')),
      await scene.enqueue(exported('e')),
      await scene.enqueue({ type: 'convert', documentId: 'd' }),
    ];
    await other.enqueue(exported('d'));
    assert.deepEqual(await wonIds(scene), idsOf(mine));
    assert.equal((await other.claim()).length, 1);
  },

  '[T11] a job without the value is not limited': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    await enqueueMany(scene, 3, exported(null));
    assert.equal((await scene.claim()).length, 3);
  },

  '[T11] a key can be the user, the correlation or the tenant': async (scene) => {
    const others: Record<string, readonly [JobOptions, JobOptions]> = {
      requestedBy: [{ requestedBy: 'ada' }, { requestedBy: 'bob' }],
      correlationId: [{ correlationId: 'c' }, { correlationId: 'e' }],
    };
    for (const [key, [one, another]] of Object.entries(others)) {
      const type = `by-${key}`;
      await limited(scene, { runningPerKey: { max: 1, key: key as 'requestedBy' } }, { type });
      for (const options of [one, one, another]) await scene.enqueue({ type, ...options });
      assert.equal((await scene.claim({ types: [type] })).length, 2);
    }
    await limited(scene, { runningPerKey: { max: 1, key: 'tenant' } }, { type: 'single' });
    await enqueueMany(scene, 2, { type: 'single' });
    assert.equal((await scene.claim({ types: ['single'] })).length, 1);
  },

  '[T11] parked jobs are let in as they stand in line': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    const order = [await scene.enqueue(exported('d'))];
    const late = await scene.enqueue(exported('d'));
    const high = await scene.enqueue(exported('d', { priority: 100 }));
    const old = await scene.enqueue(exported('d', { runAt: scene.clock.now() - 5 }));
    const won: string[] = [];
    for (let n = 0; n < 4; n++) {
      const job = await scene.claimOne();
      won.push(job.id);
      await scene.ask(job, { on: 'succeed' });
    }
    order.push(high, old, late);
    assert.deepEqual(
      won,
      order.map(({ id }) => id),
    );
  },

  '[T11] a delayed job holds no slot, and needs one when it is due': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    const delayed = await scene.enqueue(exported('d', { runAt: scene.clock.now() + 1_000 }));
    const [first] = await enqueueMany(scene, 2, exported('d', { runAt: scene.clock.now() }));
    const running = await scene.claimOne();
    assert.equal(running.id, first!.id);
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claim(), []);
    const second = await scene.ask(running, { on: 'succeed' }).then(() => scene.claimOne());
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(second, { on: 'succeed' });
    assert.deepEqual(await wonIds(scene), [delayed.id]);
  },

  '[T11] a job that comes back waits for a slot like any other': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    const [first, second] = await enqueueMany(scene, 2, exported('d'));
    scene.clock.advance(1);
    const released = await scene.ask(await scene.claimOne(), { on: 'release' });
    assert.equal(released.id, first!.id);
    assert.equal(released.phase, 'ready');
    const running = await scene.claimOne();
    assert.equal(running.id, second!.id);
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(running, { on: 'succeed' });
    assert.deepEqual(await wonIds(scene), [first!.id]);
  },

  '[T11] a poll holds its slot only while it is in flight': async (scene) => {
    await limited(scene, { runningPerKey: 1 }, { lifecycle: 'process' });
    const [first, second] = await enqueueMany(scene, 2, exported('d'));
    await scene.ask(await scene.claimOne(), { on: 'snooze', delayMs: 100 });
    const running = await scene.claimOne();
    assert.equal(running.id, second!.id);
    scene.clock.advance(100);
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(running, { on: 'succeed' });
    assert.deepEqual(await wonIds(scene), [first!.id]);
  },

  '[T11] the slot of a lost worker comes back': async (scene) => {
    await limited(scene, { runningPerKey: 1 }, { lifecycle: 'distributed' });
    const [, second] = await enqueueMany(scene, 2, exported('d'));
    const lost = await scene.claimOne();
    scene.clock.advance(1_000_000);
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(lost, { on: 'lose' }, { fence: { kind: 'expired' } });
    assert.deepEqual(await wonIds(scene), [second!.id]);
  },

  '[T11] cancelling a parked job frees nothing, an admitted one its slot': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    const [admitted, parked, last] = await enqueueMany(scene, 3, exported('d'));
    await scene.ask(parked!, { on: 'cancel', reason: null });
    await scene.ask(admitted!, { on: 'cancel', reason: null });
    assert.deepEqual(await wonIds(scene), [last!.id]);
  },

  '[T11] several ends in one call let as many in': async (scene) => {
    await limited(scene, { runningPerKey: 3 });
    const jobs = await enqueueMany(scene, 7, exported('d'));
    const won = await scene.claim();
    const moves = won.map(({ job }) => scene.move(job, { on: 'succeed' }));
    await scene.store.apply(moves);
    assert.deepEqual(await wonIds(scene), idsOf(jobs.slice(3, 6)));
  },

  '[T11] a job is judged by the limit it was born with': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    await scene.enqueue(exported('d'));
    await limited(scene, { runningPerKey: 3 });
    await enqueueMany(scene, 3, exported('d'));
    assert.equal((await scene.claim()).length, 3);
  },

  'a held job takes a slot when it is submitted': async (scene) => {
    await limited(scene, { runningPerKey: 1 }, { lifecycle: 'document' });
    const held = await scene.enqueue(exported('d', { submit: false }));
    const running = await scene.enqueue(exported('d')).then(() => scene.claimOne());
    await scene.ask(held, { on: 'submit' });
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(running, { on: 'succeed' });
    assert.deepEqual(await wonIds(scene), [held.id]);
  },

  'parked jobs are counted among the ready ones': async (scene) => {
    await limited(scene, { runningPerKey: 1 });
    await enqueueMany(scene, 4, exported('d'));
    const tally = await scene.store.tally(scene.tenant);
    assert.deepEqual(
      tally.map(({ phase, count }) => [phase, count]),
      [['ready', 4]],
    );
  },
};

export const limitCases: Cases = { ...keys, ...freeing };
