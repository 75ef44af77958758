// Observers hear what the log says: durably, at least once, in order, and each for itself.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixed } from 'pawl/internal/core/retry';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import type { FollowerReset, FollowFrom } from 'pawl/internal/engine/follow/follower';
import type { LogFollower } from 'pawl/internal/engine/follow/log-follower';
import type { Observation, Observer } from 'pawl/internal/engine/follow/observer';
import type { FollowerView } from 'pawl/internal/engine/follow/standing';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import { forEachStore } from '../support/world-stores.ts';
import { openWorld, type World } from '../support/world.ts';

const LEASE_MS = 15_000;
const TYPES = { mail: { lifecycle: 'task' }, doc: { lifecycle: 'document' } };

/** Another test's transaction on the same server may hold the log back for a while. */
const PATIENCE_MS = 60_000;

/**
 * Reads on until there is nothing to do for the moment. A database may hold items back while other
 * writers are about to commit, so where more must come it is asked again.
 */
async function drain(follower: LogFollower, isEnough: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const { waitMs } = await follower.runOnce();
    if (waitMs > 0 && isEnough()) return;
  }
}

function wordOf({ event }: Observation): string {
  return `${event.type} ${event.from ?? '-'}>${event.to}`;
}

async function succeed(world: World, type: string): Promise<void> {
  await world.complete(await world.claimOne('w1', type));
}

/** Resolves when the log shows this many changes: only then is "now" behind all of them. */
async function logShows(world: World, changes: number): Promise<void> {
  let seen = 0;
  const witness = another(world).observe({ name: 'witness', onEvent: () => void seen++ });
  await drain(witness, () => seen >= changes);
}

async function viewOf(world: World, name: string): Promise<FollowerView> {
  return (await world.engine.followers()).find((one) => one.name === name)!;
}

/** An engine of another process on the same store, whose store may be made to fail. */
function another(world: World, store: Store = world.store): Engine {
  const { clock, random } = world;
  const lifecycles = builtInLifecycles;
  return new Engine(openContext({ store, lifecycles, random, ids: newIds(), clock }));
}

let lastId = 0;
function newIds(): { next: () => string } {
  return { next: () => `other-${++lastId}` };
}

/** The process dies after its handler has returned and before that could be stored. */
function dyingBeforeSave(store: Store): Store {
  let writes = 0;
  const write: Store['records']['write'] = async (ops) => {
    if (writes++ > 0) throw new StoreError('unchanged', 'killed');
    return store.records.write(ops);
  };
  const records = { ...store.records, write };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'records') return records;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** What happens when an observer's place is of another log. */
async function restored(world: World, afterReset: FollowFrom): Promise<void> {
  await world.enqueue('mail');
  const wish = { name: 'audit', owner: 'before', leaseMs: 0, tenant: null };
  await world.context.records.followers.take({ ...wish, start: 'gone.7.0' });
  await logShows(world, 1);
  const heard: string[] = [];
  const resets: FollowerReset[] = [];
  const audit = world.engine.observe({
    name: 'audit',
    afterReset,
    onEvent: ({ event }) => void heard.push(event.type),
    onReset: (reset) => void resets.push(reset),
  });
  assert.equal((await viewOf(world, 'audit')).lag, null);
  assert.equal((await audit.runOnce()).kind, 'reset');
  await drain(audit, () => true);
  await succeed(world, 'mail');
  await drain(audit, () => heard.at(-1) === 'job_succeeded');
  const later = ['job_claimed', 'job_succeeded'];
  assert.deepEqual(heard, afterReset === 'start' ? ['job_created', ...later] : later);
  assert.deepEqual(resets, [{ name: 'audit', lost: 'gone.7.0', to: afterReset }]);
  const { resets: count, resetAt } = await viewOf(world, 'audit');
  assert.deepEqual([count, resetAt], [1, world.clock.now()]);
}

const CASES: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'an observer hears of creation, every change of state and the end, in order': async (world) => {
    const heard: string[] = [];
    const note =
      (what: string) =>
      (seen: Observation): void =>
        void heard.push(`${what} ${wordOf(seen)}`);
    const all: string[] = [];
    const audit = world.engine.observe({
      name: 'audit',
      types: ['doc'],
      onEvent: (seen) => void all.push(wordOf(seen)),
      onJobCreated: note('created'),
      onStatusChanged: ({ from, to, ...seen }) => note(`${from} to ${to}:`)(seen),
      onJobCompleted: async (seen) => {
        note('completed')(seen);
        heard.push(`result ${(await seen.job())!.result}`);
      },
    });
    await world.enqueue('doc');
    await world.enqueue('mail');
    const claim = await world.claimOne('w1', 'doc');
    await world.cancel(claim.job);
    await world.complete(claim, 7);
    await drain(audit, () => heard.length >= 6);
    assert.deepEqual(heard, [
      'created job_created ->CREATED',
      'CREATED to QUEUED: job_queued CREATED>QUEUED',
      'QUEUED to RUNNING: job_claimed QUEUED>RUNNING',
      'RUNNING to SUCCEEDED: job_succeeded RUNNING>SUCCEEDED',
      'completed job_succeeded RUNNING>SUCCEEDED',
      'result 7',
    ]);
    assert.deepEqual(all[3], 'job_cancel_requested RUNNING>RUNNING');
    assert.equal(all.length, 5);
  },

  'an observer goes on by its name where it stood, a new one where it says': async (world) => {
    const heard: string[] = [];
    const observer = (name: string, more: Partial<Observer> = {}): Observer => ({
      name,
      onEvent: (seen) => void heard.push(`${name} ${wordOf(seen)}`),
      ...more,
    });
    await world.enqueue('mail');
    const first = world.engine.observe(observer('audit'));
    await drain(first, () => heard.length >= 1);
    await first.stop();
    const late = world.engine.observe(observer('late', { from: 'now' }));
    await drain(late, () => true);
    await succeed(world, 'mail');
    await drain(another(world).observe(observer('audit')), () => heard.length >= 3);
    await drain(late, () => heard.length >= 5);
    assert.deepEqual(heard, [
      'audit job_created ->pending',
      'audit job_claimed pending>running',
      'audit job_succeeded running>succeeded',
      'late job_claimed pending>running',
      'late job_succeeded running>succeeded',
    ]);
  },

  'what a process handled that died before it could say so is handled again': async (world) => {
    await world.enqueue('mail');
    const heard: string[] = [];
    const observer = (who: string): Observer => ({
      name: 'audit',
      onEvent: ({ event }) => void heard.push(`${who} ${event.type}`),
    });
    const dying = another(world, dyingBeforeSave(world.store)).observe(observer('first'));
    await assert.rejects(
      drain(dying, () => false),
      /killed/,
    );
    const heir = world.engine.observe(observer('second'));
    const round = await heir.runOnce();
    assert.deepEqual([round.kind, round.waitMs], ['elsewhere', LEASE_MS]);
    world.advance(LEASE_MS);
    await drain(heir, () => heard.length >= 2);
    assert.deepEqual(heard, ['first job_created', 'second job_created']);
  },

  'one that throws is told again, later and later, and holds up nobody': async (world) => {
    const told: string[] = [];
    let isBroken = true;
    const ill = world.engine.observe({
      name: 'ill',
      onEvent: ({ event }) => {
        told.push(event.type);
        if (isBroken && event.type === 'job_claimed') throw new Error('the disk is full');
      },
    });
    const well: string[] = [];
    const healthy = world.engine.observe({
      name: 'well',
      onEvent: ({ event }) => void well.push(event.type),
    });
    await world.enqueue('mail');
    await succeed(world, 'mail');
    await drain(healthy, () => well.length >= 3);
    assert.equal((await ill.runOnce()).kind, 'failed');
    assert.deepEqual(well, ['job_created', 'job_claimed', 'job_succeeded']);
    const since = world.clock.now();
    const waits: number[] = [];
    for (let failures = 1; failures <= 4; failures++) {
      const { trouble, lag } = await viewOf(world, 'ill');
      assert.deepEqual(
        { ...trouble, retryAt: 0 },
        { failures, error: 'Error: the disk is full', since, retryAt: 0 },
      );
      assert.equal(lag!.events, 2, 'what it reached before is not told again');
      const { kind, waitMs } = await ill.runOnce();
      assert.equal(kind, 'resting');
      waits.push(waitMs);
      world.advance(waitMs);
      if (failures === 4) isBroken = false;
      else assert.equal((await ill.runOnce()).kind, 'failed');
    }
    assert.ok(waits[0]! >= 500 && waits[3]! >= 4_000, `with growing pauses: ${String(waits)}`);
    const lag = (await viewOf(world, 'ill')).lag!;
    assert.equal(lag.seconds, waits.reduce((sum, ms) => sum + ms, 0) / 1_000);
    await drain(ill, () => told.at(-1) === 'job_succeeded');
    assert.deepEqual(told.filter((type) => type === 'job_created').length, 1);
    assert.deepEqual(told.slice(-2), ['job_claimed', 'job_succeeded']);
    const { trouble, lag: caughtUp } = await viewOf(world, 'ill');
    assert.deepEqual([trouble, caughtUp], [null, { events: 0, isMore: false, seconds: 0 }]);
  },

  'a follower may keep to one tenant, and hears notes only if it wants to': async (world) => {
    await world.putType('mail', TYPES.mail, 'other');
    const heard: Record<string, string[]> = { all: [], other: [], notes: [] };
    const follow = (name: string, more: object): LogFollower =>
      world.engine.follow({
        name,
        ...more,
        handle: (items) => {
          for (const { event } of items) heard[name]!.push(`${event.tenant} ${event.type}`);
        },
      });
    const followers = [
      follow('all', { batchMax: 1 }),
      follow('other', { tenant: 'other' }),
      follow('notes', { notes: true }),
    ];
    await world.enqueue('mail');
    await world.renew(await world.claimOne('w1', 'mail'));
    await world.enqueue('mail', null, { tenant: 'other' });
    const last = 'other job_created';
    for (const one of followers) await drain(one, () => heard[one.name]!.at(-1) === last);
    assert.deepEqual(heard['all'], ['acme job_created', 'acme job_claimed', last]);
    assert.deepEqual(heard['other'], [last]);
    assert.ok(heard['notes']!.length > 3);
  },

  'an owner that slept through its lease moves nothing on': async (world) => {
    await world.enqueue('mail');
    await logShows(world, 1);
    const heard: string[] = [];
    const sleeper = world.engine.observe({
      name: 'audit',
      backoff: fixed(1),
      onEvent: async () => {
        world.advance(LEASE_MS);
        await drain(heir, () => heard.length >= 1);
        heard.push('sleeper');
      },
    });
    const heir = another(world).observe({ name: 'audit', onEvent: () => void heard.push('heir') });
    assert.equal((await sleeper.runOnce()).kind, 'lost');
    assert.deepEqual(heard, ['heir', 'sleeper']);
    assert.equal((await sleeper.runOnce()).kind, 'elsewhere');
    await world.enqueue('mail');
    await drain(heir, () => heard.length >= 3);
    assert.deepEqual(heard, ['heir', 'sleeper', 'heir']);
  },

  'after a restore an observer says so and goes on from the start': (world) =>
    restored(world, 'start'),
  'after a restore an observer says so and goes on from now': (world) => restored(world, 'now'),
};

await forEachStore(({ label, open }) => {
  void describe(`observers on ${label}`, () => {
    for (const [title, show] of Object.entries(CASES)) {
      void test(title, async () => {
        const world = await openWorld({ store: open, types: TYPES });
        await show(world);
        await world.close();
      });
    }
  });
});
