import assert from 'node:assert/strict';
import type { LifecyclePlace } from '../../../src/store/overdue.ts';
import type { Cases, Scene } from './scene.ts';

/** Sweeps see every tenant; a test looks at its own. */
const ALL = 100_000;

/** Long heartbeats, so that only the ttl and the limit show. */
const LEASE = { ttlMs: 60_000, heartbeatMs: 40_000 };

function placesOf(scene: Scene, name: string): LifecyclePlace[] {
  const { places, version } = scene.lifecycle(name);
  return places.map((place) => ({ ...place, lifecycle: name, lifecycleVersion: version }));
}

async function overdueIds(scene: Scene, places: readonly LifecyclePlace[]): Promise<string[]> {
  const jobs = await scene.store.overdue(places, ALL);
  return jobs.filter(({ tenant }) => tenant === scene.tenant).map(({ id }) => id);
}

export const deadlineCases: Cases = {
  'overdue: a job appears at its deadline, the longest ago first, until it ends': async (scene) => {
    const now = scene.clock.now();
    const late = await scene.enqueue({ deadlineAt: now + 2_000 });
    const soon = await scene.enqueue({ deadlineAt: now + 1_000 });
    await scene.enqueue();
    const places = placesOf(scene, 'task');
    scene.clock.advance(999);
    assert.deepEqual(await overdueIds(scene, places), []);
    scene.clock.advance(1);
    const found = await scene.store.overdue(places, ALL);
    assert.deepEqual(
      found.filter(({ tenant }) => tenant === scene.tenant),
      [soon],
    );
    scene.clock.advance(1_000);
    assert.deepEqual(await overdueIds(scene, places), [soon.id, late.id]);
    assert.equal((await scene.store.overdue(places, 1)).length, 1);
    await scene.ask(soon, { on: 'cancel', reason: null });
    assert.deepEqual(await overdueIds(scene, places), [late.id]);
    await scene.ask(late, { on: 'cancel', reason: null });
  },

  'overdue: only jobs in the places that were asked for': async (scene) => {
    const deadlineAt = scene.clock.now() + 1;
    const task = await scene.enqueue({ deadlineAt });
    const platform = await scene.enqueue({ type: 'platform', deadlineAt });
    scene.clock.advance(1);
    const all = [...placesOf(scene, 'task'), ...placesOf(scene, 'platform')];
    assert.deepEqual(new Set(await overdueIds(scene, all)), new Set([task.id, platform.id]));
    const tasks = placesOf(scene, 'task');
    assert.deepEqual(await overdueIds(scene, tasks), [task.id]);
    const running = tasks.filter(({ state }) => state === 'running');
    assert.deepEqual(await overdueIds(scene, running), []);
    assert.deepEqual(await overdueIds(scene, []), []);
    await scene.ask(task, { on: 'cancel', reason: null });
  },

  'no renewal takes a lease beyond the time-out of its attempt': async (scene) => {
    await scene.type('task', 'task', { lease: LEASE, timeoutMs: 70_000 });
    const job = await scene.running();
    const start = scene.clock.now();
    assert.equal(job.leaseExpiry, start + 60_000);
    scene.clock.advance(40_000);
    const outcome = await scene.renew(job);
    assert.equal(outcome.kind === 'renewed' && outcome.leaseExpiry, start + 70_000);
    assert.equal((await scene.read(job)).leaseExpiry, start + 70_000);
    scene.clock.advance(29_999);
    assert.equal((await scene.renew(job)).kind, 'renewed');
    scene.clock.advance(1);
    assert.deepEqual(await scene.renew(job), { kind: 'lost' });
    assert.deepEqual(await scene.apply(scene.move(job, { on: 'succeed' })), { kind: 'missed' });
  },

  'a lease is never longer than its time-out, and the next attempt has its own': async (scene) => {
    await scene.type('task', 'task', { lease: LEASE, timeoutMs: 5_000 });
    const job = await scene.running();
    assert.equal(job.leaseExpiry, scene.clock.now() + 5_000);
    scene.clock.advance(3_000);
    await scene.ask(job, { on: 'release' });
    scene.clock.advance(3_000);
    const again = await scene.claimOne();
    assert.equal(again.leaseExpiry, scene.clock.now() + 5_000);
    scene.clock.advance(4_999);
    assert.equal((await scene.renew(again)).kind, 'renewed');
  },

  'no lease reaches beyond the deadline of its job': async (scene) => {
    await scene.type('task', 'task', { lease: LEASE });
    const deadlineAt = scene.clock.now() + 50_000;
    const job = await scene.running({ deadlineAt });
    assert.equal(job.leaseExpiry, deadlineAt);
    scene.clock.advance(49_999);
    const outcome = await scene.renew(job);
    assert.equal(outcome.kind === 'renewed' && outcome.leaseExpiry, deadlineAt);
    scene.clock.advance(1);
    assert.deepEqual(await scene.renew(job), { kind: 'lost' });
  },

  'a job whose deadline has passed is lost as soon as it is claimed': async (scene) => {
    const deadlineAt = scene.clock.now() + 1_000;
    await scene.enqueue({ type: 'platform', deadlineAt });
    scene.clock.advance(2_000);
    const job = await scene.claimOne();
    assert.equal(job.leaseExpiry, deadlineAt);
    assert.deepEqual(await scene.renew(job), { kind: 'lost' });
    const expired = await scene.store.expired(1_000);
    assert.ok(expired.some(({ id }) => id === job.id));
  },
};
