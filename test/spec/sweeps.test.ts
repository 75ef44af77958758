// One round of sweeps: each duty stands for itself, and says how it fares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DUTIES, type Duty } from 'pawl/internal/engine/sweeps/duties';
import { type SweepReport, Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import type { LogChanges } from 'pawl/internal/store/log-changes';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

/** The verb without which a duty can do nothing. */
const VERBS: Readonly<Record<Duty, string>> = {
  schedules: 'records.list schedule due',
  due: 'due',
  deadlines: 'overdue',
  leases: 'expired',
  watermarks: 'rules',
  throttles: 'control.ailing',
  limits: 'control.trimRates',
  reprocess: 'records.list dead-letter descending',
  operations: 'records.list operation due',
  retention: 'purge',
  checksums: 'maintenance.checkRows',
};

const MINUTE_MS = 60_000;
const timers = { sleep: async (): Promise<void> => undefined };

/** The store, but for verbs that throw as long as they are named here. */
function breakable(store: Store, broken: Map<string, Error>, prefix = ''): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const error = broken.get(`${prefix}${String(name)}`);
      if (error !== undefined) return () => Promise.reject(error);
      const member: unknown = Reflect.get(target, name, target);
      if (name === 'control' || name === 'maintenance') {
        return breakable(member as Store, broken, `${name}.`);
      }
      if (name === 'records') return breakableRecords(target.records, broken);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Lists are told apart by what they are of, and by their order. */
function breakableRecords(records: Store['records'], broken: Map<string, Error>): Store['records'] {
  const list: typeof records.list = async (query) => {
    const error = broken.get(`records.list ${query.kind.name} ${query.order ?? 'ascending'}`);
    if (error !== undefined) throw error;
    return records.list(query);
  };
  return { ...records, list };
}

interface Fixture {
  readonly world: World;
  readonly broken: Map<string, Error>;
  readonly sweeper: Sweeper;
  readonly warnings: Readonly<Record<string, unknown>>[];
}

/** A minute has passed: a slot of a schedule, a delayed job, a deadline and a lease have come. */
async function openFixture(): Promise<Fixture> {
  const broken = new Map<string, Error>();
  const world = await openWorld({
    store: async (ports) => breakable(await inSqlite(ports), broken),
    types: { report: { lifecycle: 'task' }, mail: { lifecycle: 'task' } },
  });
  const warnings: Fixture['warnings'] = [];
  const log = {
    warn: (_: string, facts: Fixture['warnings'][number]): void => void warnings.push(facts),
  };
  const rate = { max: 9, perMs: 1_000 };
  const rule = { tenant: TENANT, reasons: ['timeout' as const], delayMs: 0, replaysMax: 1, rate };
  const context = { ...world.context, log };
  const sweeper = new Sweeper(context, { timers, reprocess: [rule], everyMs: MINUTE_MS });
  await sweeper.runOnce();
  const schedule = {
    rule: { kind: 'interval', everyMs: MINUTE_MS },
    job: { type: 'report' },
  } as const;
  const caller = { tenant: TENANT, principal: null };
  await world.engine.schedules.put({ name: 'it', caller }, schedule);
  await world.enqueue('report', null, { runAt: world.clock.now() + MINUTE_MS });
  await world.enqueue('report', null, { deadlineAt: world.clock.now() + MINUTE_MS });
  await world.enqueue('mail');
  await world.claimOne('w1', 'mail');
  world.advance(MINUTE_MS);
  return { world, broken, sweeper, warnings };
}

function countsOf({ scheduled, due, overdue, expired }: SweepReport): (number | null)[] {
  return [scheduled, due, overdue, expired];
}

for (const [index, duty] of DUTIES.entries()) {
  test(`a sweep whose ${duty} fails does all its other duties, and says what failed`, async () => {
    const { world, broken, sweeper, warnings } = await openFixture();
    const fault = new TypeError('a fault of ours');
    broken.set(VERBS[duty], fault);
    const report = await sweeper.runOnce();
    assert.deepEqual(report.failed, [{ duty, error: fault }]);
    assert.deepEqual(
      countsOf(report),
      [1, 1, 1, 1].map((count, place) => (place === index ? null : count)),
    );
    const [warning] = warnings;
    assert.deepEqual(warning, { duty, failures: 1, error: 'TypeError: a fault of ours' });
    const since = world.clock.now();
    await sweeper.runOnce();
    const ill = sweeper.duties.filter(({ trouble }) => trouble !== null);
    const isSlow = ['throttles', 'limits', 'retention'].includes(duty);
    const trouble = { failures: isSlow ? 1 : 2, since, error: 'TypeError: a fault of ours' };
    assert.deepEqual(
      ill.map(({ duty: name, trouble: told }) => [name, told]),
      [[duty, trouble]],
    );
    broken.clear();
    world.advance(MINUTE_MS);
    await sweeper.runOnce();
    const doneAt = world.clock.now();
    assert.deepEqual(
      sweeper.duties,
      DUTIES.map((name) => ({ duty: name, doneAt, trouble: null })),
    );
    await world.close();
  });
}

test('leases are held back after an outage of the store, and not for a duty at fault', async () => {
  for (const [error, isHeld] of [
    [new StoreError('unchanged', 'the disk is full'), true],
    [new TypeError('a fault of ours'), false],
  ] as const) {
    const { world, broken, sweeper } = await openFixture();
    broken.set('due', error);
    broken.set('expired', error);
    for (let round = 0; round < 8; round++) {
      await sweeper.runOnce();
      world.advance(MINUTE_MS);
    }
    broken.clear();
    const { expired } = await sweeper.runOnce();
    assert.equal(expired, isHeld ? 0 : 1);
    await world.close();
  }
});

const SECOND_MS = 1_000;

/** Two types whose silent owners are given up after 4 and after 30 s, and a sweep every second. */
async function openOutage() {
  const broken = new Map<string, Error>();
  const world = await openWorld({
    store: async (ports) => breakable(await inSqlite(ports), broken),
    types: {
      quick: {
        lifecycle: 'task',
        lease: { ttlMs: 4_000, heartbeatMs: 2_000 },
        retry: { maxAttempts: 1 },
      },
      slow: { lifecycle: 'task', lease: { ttlMs: 60_000, heartbeatMs: 15_000 } },
    },
  });
  const sweeper = new Sweeper(world.context, { timers, everyMs: SECOND_MS });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      world.advance(SECOND_MS);
      await sweeper.runOnce().catch((error: unknown) => assert.ok(error instanceof StoreError));
    }
  };
  const outage = async (seconds: number): Promise<void> => {
    broken.set('now', new StoreError('unknown', 'nobody answers'));
    await pass(seconds);
    broken.clear();
  };
  const taken = async (type: 'quick' | 'slow') => {
    await world.enqueue(type);
    return world.claimOne('w1', type);
  };
  await sweeper.runOnce();
  return { world, pass, outage, taken };
}

test('[R10, P8] after an outage each lease is left alone for its own window, not for the longest', async () => {
  const { world, pass, outage, taken } = await openOutage();
  const [quick, slow] = [await taken('quick'), await taken('slow')];
  await outage(10);
  await pass(4);
  assert.equal((await world.job(quick.job)).phase, 'executing', 'its owner may still come back');
  await pass(1);
  assert.equal((await world.job(quick.job)).phase, 'ready');
  assert.equal((await world.job(slow.job)).phase, 'executing');
  await world.close();
});

test('[T31, R10] a lease that ran out while the store was away spends no attempt', async () => {
  for (const seconds of [3, 5, 10]) {
    const { world, pass, outage, taken } = await openOutage();
    const { job } = await taken('quick');
    await pass(1);
    await outage(seconds);
    await pass(6);
    const { phase, attempts, error, epoch } = await world.job(job);
    assert.deepEqual([phase, attempts, error, epoch], ['ready', 1, null, 2], `${seconds} s`);
    const last = (await world.events(job)).at(-1)!;
    assert.deepEqual(
      [last.type, last.cause, last.payload?.['owner'], last.actor],
      ['job_requeued', 'store_outage', 'w1', 'system'],
    );
    await world.close();
  }
});

test('[T31] a worker that is lost after an outage is lost as ever', async () => {
  const { world, pass, outage, taken } = await openOutage();
  await outage(10);
  await pass(1);
  const { job } = await taken('quick');
  await pass(5);
  const { state, error } = await world.job(job);
  assert.deepEqual([state, error?.class], ['failed', 'worker_lost']);
  await world.close();
});

test('[T35] what fails around an outage of the store slows no type down', async () => {
  const { world, pass, outage } = await openOutage();
  const failAll = async (): Promise<void> => {
    for (let n = 0; n < 24; n++) await world.enqueue('slow');
    for (const claim of await world.claim('w1', 'slow')) await world.fail(claim, 'PermanentError');
  };
  const bounds = async () => (await world.engine.rules(null)).map(({ concurrency }) => concurrency);
  await outage(10);
  await pass(1);
  await failAll();
  await pass(20);
  assert.deepEqual(await bounds(), []);
  await failAll();
  await pass(6);
  assert.deepEqual(await bounds(), [1], 'and what fails later does');
  await world.close();
});

test('[T31, R10] a sweeper that begins after an outage leaves leases alone that ran out in it', async () => {
  const { world, taken } = await openOutage();
  const { job } = await taken('quick');
  world.advance(10 * SECOND_MS);
  const back = world.clock.now();
  const logChanges: LogChanges = {
    listen: () => () => undefined,
    isKept: async () => false,
    backSince: async () => back,
  };
  const context = { ...world.context, store: Object.assign(world.store, { logChanges }) };
  const sweeper = new Sweeper(context, { timers, everyMs: SECOND_MS });
  await sweeper.runOnce();
  assert.equal((await world.job(job)).phase, 'executing');
  for (let second = 0; second < 5; second++) {
    world.advance(SECOND_MS);
    await sweeper.runOnce();
  }
  const { phase, error } = await world.job(job);
  assert.deepEqual([phase, error], ['ready', null]);
  await world.close();
});
