// Delays, retries and schedules end when they are due, not with the next sweep.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Timers } from 'pawl/internal/core/timers';
import { draftJob } from 'pawl/internal/engine/draft';
import { DueAlarm } from 'pawl/internal/engine/sweeps/due-alarm';
import type { Store } from 'pawl/internal/store/store';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World, type WorldOptions } from '../support/world.ts';
import { forEachStore } from '../support/world-stores.ts';

const LOOK_MS = 60_000;

/** Sleeps are told of when they begin, and end when the test says so or somebody calls. */
class ToldTimers implements Timers {
  #asleep: PromiseWithResolvers<number> = Promise.withResolvers<number>();
  #wake: () => void = () => undefined;

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    this.#asleep.resolve(ms);
    return promise;
  }

  /** For how long the next sleep, or the one that nobody has asked for yet, is meant to be. */
  async asleep(): Promise<number> {
    const ms = await this.#asleep.promise;
    this.#asleep = Promise.withResolvers<number>();
    return ms;
  }

  wake(): void {
    this.#wake();
  }
}

interface Fixture {
  readonly world: World;
  readonly timers: ToldTimers;
  readonly alarm: DueAlarm;
  close(): Promise<void>;
}

const TYPES = {
  mail: { lifecycle: 'task', retry: { backoff: { kind: 'fixed', baseMs: 1_000 } } },
  poll: { lifecycle: 'distributed' },
} as const;

async function openFixture(options: WorldOptions, everyMs = LOOK_MS): Promise<Fixture> {
  const world = await openWorld({ types: TYPES, ...options });
  const timers = new ToldTimers();
  const alarm = new DueAlarm(world.context, { timers, everyMs });
  alarm.start();
  const close = async (): Promise<void> => {
    await alarm.stop();
    await world.close();
  };
  return { world, timers, alarm, close };
}

/** Lets the time pass that the alarm sleeps. When it sleeps again, it has let in what is due. */
async function wake({ world, timers }: Fixture, ms: number): Promise<void> {
  let wakes = 0;
  const leave = world.engine.onWork(() => void (wakes += 1));
  world.advance(ms);
  timers.wake();
  await timers.asleep();
  await leave();
  assert.ok(wakes > 0, 'workers were not told of it');
}

await forEachStore(({ label, open }) => {
  describe(`what is due is let in at its time, ${label}`, () => {
    test('[D6, D14] a job with a delay, to the millisecond', async () => {
      const fixture = await openFixture({ store: open });
      const { world, timers } = fixture;
      assert.equal(await timers.asleep(), LOOK_MS, 'there is nothing to wait for');
      await world.enqueue('mail', null, { runAt: world.clock.now() + 1_234 });
      assert.equal(await timers.asleep(), 1_234);
      await wake(fixture, 1_234);
      await world.claimOne('w1', 'mail');
      await fixture.close();
    });

    test('[D6, T6] a retry after its backoff', async () => {
      const fixture = await openFixture({ store: open });
      const { world, timers } = fixture;
      await timers.asleep();
      await world.enqueue('mail');
      await world.fail(await world.claimOne('w1', 'mail'), 'network_timeout');
      assert.equal(await timers.asleep(), 1_000);
      await wake(fixture, 1_000);
      assert.equal((await world.claimOne('w1', 'mail')).job.attempts, 2);
      await fixture.close();
    });

    test('a job that is requeued when its wait is over', async () => {
      const fixture = await openFixture({ store: open });
      const { world, timers } = fixture;
      await timers.asleep();
      await world.enqueue('poll');
      const claim = await world.claimOne('w1', 'poll');
      await world.start(claim);
      await world.snooze(claim, 700);
      assert.equal(await timers.asleep(), 700);
      await wake(fixture, 700);
      await world.claimOne('w1', 'poll');
      await fixture.close();
    });
  });
});

await forEachStore(({ label, open }) => {
  describe(`and so is what the alarm has to find, ${label}`, () => {
    test('a slot of a schedule', async () => {
      const fixture = await openFixture({ store: open });
      const { world, timers } = fixture;
      await timers.asleep();
      const rule = { kind: 'interval', everyMs: 30_000 } as const;
      const caller = { tenant: TENANT, principal: null };
      const { schedule } = await world.engine.schedules.put(
        { name: 'often', caller },
        { rule, job: { type: 'mail' } },
      );
      const leftMs = schedule.nextAt! - world.clock.now();
      timers.wake();
      assert.equal(await timers.asleep(), leftMs);
      await wake(fixture, leftMs);
      await world.claimOne('w1', 'mail');
      await fixture.close();
    });

    test('a delay that another process wrote, found at the next look', async () => {
      const fixture = await openFixture({ store: open }, 1_000);
      const { world, timers } = fixture;
      await timers.asleep();
      const caller = { tenant: TENANT, principal: null };
      const wish = { type: 'mail', runAt: world.clock.now() + 1_500 };
      await world.store.insert([await draftJob(world.context, wish, caller)]);
      world.advance(1_000);
      timers.wake();
      assert.equal(await timers.asleep(), 500);
      await wake(fixture, 500);
      await world.claimOne('w1', 'mail');
      await fixture.close();
    });
  });
});

/** A store with some verbs replaced. */
function changed(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const found: unknown = Reflect.get({ ...changes }, name) ?? Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

test('what stays due is asked for ever less often', async () => {
  const stuck = { untilDue: async () => -5, due: async () => ({ opened: 0, waiting: [] }) };
  const fixture = await openFixture({
    store: async (ports) => changed(await inSqlite(ports), stuck),
  });
  const slept: number[] = [];
  for (let look = 0; look < 5; look++) {
    slept.push(await fixture.timers.asleep());
    fixture.timers.wake();
  }
  assert.deepEqual(slept, [20, 40, 80, 160, 320]);
  await fixture.close();
});

test('a store that is away is asked again after a while', async () => {
  let isAway = true;
  const away = {
    untilDue: async () => {
      if (isAway) throw new Error('nobody answers');
      return null;
    },
  };
  const fixture = await openFixture(
    { store: async (ports) => changed(await inSqlite(ports), away) },
    500,
  );
  assert.equal(await fixture.timers.asleep(), 500);
  isAway = false;
  fixture.timers.wake();
  assert.equal(await fixture.timers.asleep(), 500);
  await fixture.close();
});

test('a delay that is told of while the alarm looks is not missed', async () => {
  const looking = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<null>();
  const slow = {
    untilDue: () => {
      looking.resolve();
      return answer.promise;
    },
  };
  const fixture = await openFixture({
    store: async (ports) => changed(await inSqlite(ports), slow),
  });
  await looking.promise;
  await fixture.world.enqueue('mail', null, { runAt: fixture.world.clock.now() + 300 });
  answer.resolve(null);
  assert.equal(await fixture.timers.asleep(), 300);
  await fixture.close();
});
