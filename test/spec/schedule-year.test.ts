// Three schedulers on one store through a simulated year, dying where it hurts most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import { seededIds } from 'pawl/internal/core/ids';
import { SeededRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import type { ScheduleDefinition } from 'pawl/internal/engine/schedules/definition';
import { slotsBetween } from 'pawl/internal/engine/schedules/rule';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { StoreError } from 'pawl/internal/store/store-error';
import { recordsOf } from 'pawl/internal/records/records';
import type { InsertWithOptions, InsertWithOutcome, NewJob } from 'pawl/internal/store/insert';
import type { Store } from 'pawl/internal/store/store';
import { realStores } from '../support/real-stores.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2027, 11, 31, 12);
const END = Date.UTC(2029, 0, 1, 12);
const CALLER = { tenant: 'acme', principal: null };
const SCHEDULERS = 3;

type Rule = ScheduleDefinition['rule'];

/** Each zone's clock leaps over 02:15 or 02:30 once in that year, or goes through 01:45 twice. */
const RULES: Readonly<Record<string, Rule>> = {
  berlin: { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' },
  'new-york': { kind: 'cron', expression: '45 1 * * *', timeZone: 'America/New_York' },
  'lord-howe': { kind: 'cron', expression: '15 2 * * *', timeZone: 'Australia/Lord_Howe' },
  'berlin-overlap': { kind: 'cron', expression: '*/20 1-3 * 3,10 SUN', timeZone: 'Europe/Berlin' },
  'leap-day': { kind: 'cron', expression: '0 12 29 2 *' },
  'new-year': { kind: 'cron', expression: '0 0 1 1 *' },
  'every-31-hours': { kind: 'interval', everyMs: 31 * HOUR_MS, startAt: START + 1 },
  once: { kind: 'once', at: Date.UTC(2028, 1, 29, 23, 59, 59, 999) },
};

function expectedSlots(): Record<string, number[]> {
  const slots = Object.entries(RULES).map(([name, rule]) => {
    const full = rule.kind === 'cron' ? { timeZone: 'UTC', ...rule } : rule;
    const span = { from: START + 1, to: END + 1 };
    return [name, slotsBetween(full as Parameters<typeof slotsBetween>[0], span)];
  });
  return Object.fromEntries(slots) as Record<string, number[]>;
}

/** A process that may die just before it fires, or just after, when nobody hears of it. */
function mortal(store: Store, random: SeededRandom, died: { count: number }): Store {
  const insert = async (
    jobs: readonly NewJob[],
    options: InsertWithOptions,
  ): Promise<InsertWithOutcome> => {
    const fate = random.next();
    if (fate < 0.15) {
      died.count += 1;
      throw new StoreError('unchanged', 'died between reading and firing');
    }
    const outcome = await store.insert(jobs, options);
    if (fate < 0.3) {
      died.count += 1;
      throw new StoreError('unknown', 'died before the answer came');
    }
    return outcome;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'insert') return insert;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

interface Year {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly random: SeededRandom;
  readonly died: { count: number };
}

function schedulerOf({ clock, store, random, died }: Year, seed: number): Engine {
  const ids = seededIds(clock, new SeededRandom(seed));
  return new Engine(
    openContext({ store: mortal(store, random, died), lifecycles, random, ids, clock }),
  );
}

async function liveThrough(year: Year): Promise<void> {
  const { clock, store, random } = year;
  const ids = seededIds(clock, new SeededRandom(7));
  const author = new Engine(openContext({ store, lifecycles, random, ids, clock }));
  await author.putType({ tenant: CALLER.tenant, type: 'report' }, { lifecycle: 'task' });
  const missed = { policy: 'all', graceMs: DAY_MS, max: 1_000 } as const;
  for (const [name, rule] of Object.entries(RULES)) {
    await author.schedules.put({ name, caller: CALLER }, { rule, job: { type: 'report' }, missed });
  }
  let seed = 100;
  const schedulers = Array.from({ length: SCHEDULERS }, () => schedulerOf(year, seed++));
  while (clock.now() < END) {
    const stepMs = 6 * HOUR_MS + random.below(66) * HOUR_MS + random.below(HOUR_MS);
    clock.advance(Math.min(stepMs, END - clock.now()));
    const sweeps = schedulers.map((one) => one.sweepSchedules());
    (await Promise.allSettled(sweeps)).forEach((result, index) => {
      if (result.status === 'fulfilled') return;
      assert.ok(result.reason instanceof StoreError, String(result.reason));
      schedulers[index] = schedulerOf(year, seed++);
    });
  }
  await author.sweepSchedules();
}

async function jobSlots(store: Store): Promise<Record<string, number[]>> {
  const slots: Record<string, number[]> = {};
  for (let before: string | undefined; ;) {
    const query = { tenant: CALLER.tenant, limit: 500, ...(before && { before }) };
    const { jobs, hasMore } = await store.list(query);
    for (const { metadata } of jobs) {
      const { schedule } = JSON.parse(metadata!) as { schedule: { name: string; slot: number } };
      (slots[schedule.name] ??= []).push(schedule.slot);
    }
    if (!hasMore) return slots;
    before = jobs.at(-1)!.id;
  }
}

for (const { label, open } of await realStores()) {
  test(`[T39] on ${label}: three dying schedulers fire a year's slots exactly once`, async () => {
    const clock = new ManualClock(START);
    const store = await open({ clock, lifecycles });
    const year = { clock, store, random: new SeededRandom(42), died: { count: 0 } };
    await liveThrough(year);
    const made = await jobSlots(store);
    for (const [name, expected] of Object.entries(expectedSlots())) {
      assert.deepEqual(made[name]!.toSorted(byTime), expected, name);
      const ref = { tenant: CALLER.tenant, name };
      const records = await recordsOf(store).schedules.fires({ ...ref, limit: 10_000 });
      const fired = records.map(({ slot, result }) => `${slot} ${result}`).toReversed();
      assert.deepEqual(
        fired,
        expected.map((slot) => `${slot} created`),
      );
    }
    assert.ok(year.died.count > 50, `only ${year.died.count} deaths`);
    await store.close();
  });
}

function byTime(one: number, other: number): number {
  return one - other;
}
