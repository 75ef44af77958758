import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

const ALL = 100_000;

/** Sweeps see every tenant; a test looks at its own. */
function mine(scene: Scene, jobs: readonly Job[]): string[] {
  return jobs.filter(({ tenant }) => tenant === scene.tenant).map(({ id }) => id);
}

async function snoozed(scene: Scene, delayMs: number, options: JobOptions = {}): Promise<Job> {
  return scene.ask(await scene.running(options), { on: 'snooze', delayMs });
}

async function isClaimable(scene: Scene): Promise<boolean> {
  return (await scene.store.claim(scene.claimRequest())).length > 0;
}

export const sweepCases: Cases = {
  '[T39] due: a delayed job is let in at its time, once': async (scene) => {
    await scene.store.due(ALL);
    const job = await scene.enqueue({ runAt: scene.clock.now() + 1_000 });
    scene.clock.advance(999);
    assert.equal((await scene.store.due(ALL)).opened, 0);
    scene.clock.advance(1);
    assert.equal((await scene.store.due(ALL)).opened, 1);
    assert.equal((await scene.store.due(ALL)).opened, 0);
    assert.deepEqual(await scene.read(job), job);
    assert.ok(await isClaimable(scene));
  },

  'due: the time until the next is told by the clock of the database': async (scene) => {
    await scene.store.due(ALL);
    await scene.enqueue({ runAt: scene.clock.now() + 700 });
    const before = (await scene.store.untilDue())!;
    assert.ok(before <= 700, `${before} ms`);
    scene.clock.advance(300);
    assert.equal(await scene.store.untilDue(), before - 300);
    await scene.store.due(ALL);
    await snoozed(scene, 200);
    assert.ok((await scene.store.untilDue())! <= 200);
  },

  '[T4] due: a job that needs a requeue comes back until it is requeued': async (scene) => {
    const job = await snoozed(scene, 1_000);
    assert.deepEqual(mine(scene, (await scene.store.due(ALL)).waiting), []);
    scene.clock.advance(1_000);
    const { waiting } = await scene.store.due(ALL);
    const found = waiting.find(({ id }) => id === job.id)!;
    assert.deepEqual(found, job);
    assert.ok(!(await isClaimable(scene)));
    assert.deepEqual(mine(scene, (await scene.store.due(ALL)).waiting), [job.id]);
    await scene.ask(found, { on: 'requeue' });
    assert.deepEqual(mine(scene, (await scene.store.due(ALL)).waiting), []);
    assert.ok(await isClaimable(scene));
  },

  '[O15] due: a process job is opened where it waits': async (scene) => {
    await scene.store.due(ALL);
    const job = await snoozed(scene, 1_000, { type: 'process' });
    scene.clock.advance(1_000);
    const { opened, waiting } = await scene.store.due(ALL);
    assert.deepEqual([opened, mine(scene, waiting)], [1, []]);
    assert.deepEqual(await scene.read(job), job);
    assert.equal((await scene.store.claim(scene.claimRequest()))[0]!.job.epoch, 2);
  },

  'due: a held job and an ended one are left alone': async (scene) => {
    await scene.store.due(ALL);
    const held = await scene.enqueue({ type: 'platform', submit: false });
    const ended = await scene.ask(await scene.running(), { on: 'succeed' });
    scene.clock.advance(100_000);
    const { opened, waiting } = await scene.store.due(ALL);
    assert.deepEqual([opened, mine(scene, waiting)], [0, []]);
    assert.deepEqual(await scene.store.read([held, ended]), [held, ended]);
  },

  'due: at most the limit, the longest due first': async (scene) => {
    await scene.store.due(ALL);
    const now = scene.clock.now();
    const jobs = [];
    for (const delayMs of [3_000, 1_000, 2_000]) jobs.push(await snoozed(scene, delayMs));
    for (const delayMs of [3_000, 1_000, 2_000]) await scene.enqueue({ runAt: now + delayMs });
    scene.clock.advance(5_000);
    const { waiting } = await scene.store.due(ALL);
    assert.deepEqual(mine(scene, waiting), [jobs[1]!.id, jobs[2]!.id, jobs[0]!.id]);
    assert.equal((await scene.store.claim(scene.claimRequest())).length, 3);
    assert.equal((await scene.store.due(2)).waiting.length, 2);
  },

  'due: a limited sweep opens the longest due first': async (scene) => {
    await scene.store.due(ALL);
    const now = scene.clock.now();
    const late = await scene.enqueue({ runAt: now + 2_000 });
    const soon = await scene.enqueue({ runAt: now + 1_000 });
    scene.clock.advance(5_000);
    assert.equal((await scene.store.due(1)).opened, 1);
    const first = await scene.store.claim(scene.claimRequest());
    assert.deepEqual(
      first.map(({ job }) => job.id),
      [soon.id],
    );
    assert.equal((await scene.store.due(5)).opened, 1);
    assert.equal((await scene.store.claim(scene.claimRequest()))[0]!.job.id, late.id);
  },

  '[R9] expired: an owned job appears at its deadline': async (scene) => {
    const job = await scene.running();
    scene.clock.advance(29_999);
    assert.deepEqual(mine(scene, await scene.store.expired(ALL)), []);
    scene.clock.advance(1);
    const found = (await scene.store.expired(ALL)).find(({ id }) => id === job.id);
    assert.deepEqual(found, job);
    const fence = { kind: 'expired' } as const;
    await scene.ask(job, { on: 'lose' }, { fence });
    assert.deepEqual(mine(scene, await scene.store.expired(ALL)), []);
  },

  'expired: a renewal in time keeps a job out': async (scene) => {
    const job = await scene.running();
    scene.clock.advance(20_000);
    await scene.renew(job);
    scene.clock.advance(20_000);
    assert.deepEqual(mine(scene, await scene.store.expired(ALL)), []);
    scene.clock.advance(10_000);
    assert.deepEqual(mine(scene, await scene.store.expired(ALL)), [job.id]);
  },

  '[R1] expired: a leased job that never started is found as well': async (scene) => {
    const job = await scene.enqueue({ type: 'distributed' });
    await scene.claimOne();
    scene.clock.advance(30_000);
    assert.deepEqual(mine(scene, await scene.store.expired(ALL)), [job.id]);
  },

  'expired: at most the limit, the longest ago first': async (scene) => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await scene.running()).id);
      scene.clock.advance(10);
    }
    scene.clock.advance(60_000);
    const all = await scene.store.expired(ALL);
    assert.deepEqual(mine(scene, all), ids);
    const deadlines = all.map(({ leaseExpiry }) => leaseExpiry!);
    assert.deepEqual(
      deadlines,
      deadlines.toSorted((one, other) => one - other),
    );
    const two = await scene.store.expired(2);
    assert.deepEqual(
      two.map(({ leaseExpiry }) => leaseExpiry),
      deadlines.slice(0, 2),
    );
  },

  'the store tells its time': async (scene) => {
    assert.equal(await scene.store.now(), scene.clock.now());
    assert.equal(scene.clock.advance(17), await scene.store.now());
  },
};
