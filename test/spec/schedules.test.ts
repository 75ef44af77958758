// Schedules: rules in time, what becomes of missed slots, and one fire per slot whoever fires.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduleDefinition } from 'pawl/internal/engine/schedules/definition';
import { nextRuns, type ScheduleView } from 'pawl/internal/engine/schedules/schedules';
import type { FireRecord } from 'pawl/internal/records/fires';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CALLER = { tenant: TENANT, principal: 'ann' };
const JOB = { type: 'report', input: { page: 1 } };

type Rule = ScheduleDefinition['rule'];

const HOURLY: Rule = { kind: 'cron', expression: '0 * * * *' };

/** The world's clock begins at midnight of New Year 2026. */
async function open(): Promise<World> {
  return openWorld({ store: inSqlite, types: { report: { lifecycle: 'task' } } });
}

function put(
  world: World,
  rule: Rule,
  more: Partial<ScheduleDefinition> = {},
): Promise<{ kind: string; schedule: ScheduleView }> {
  return world.engine.schedules.put({ name: 'it', caller: CALLER }, { rule, job: JOB, ...more });
}

const REF = { tenant: TENANT, name: 'it' };

async function history(world: World): Promise<string[]> {
  const records = await world.engine.schedules.history({ ...REF, limit: 1_000 });
  return records.toReversed().map(lineOf);
}

function lineOf({ slot, through, result }: FireRecord): string {
  const text = (at: number): string => new Date(at).toISOString().slice(5, 16);
  return slot === through ? `${text(slot)} ${result}` : `${text(slot)}…${text(through)} ${result}`;
}

test('[T39] a cron schedule makes one job a slot, at its time and not before', async () => {
  const world = await open();
  const { kind, schedule } = await put(world, { kind: 'cron', expression: '30 9 * * *' });
  assert.equal(kind, 'created');
  world.advance(9.5 * HOUR_MS - 1);
  assert.equal(await world.engine.sweepSchedules(), 0);
  const slot = world.advance(1);
  assert.equal(await world.engine.sweepSchedules(), 1);
  assert.equal(await world.engine.sweepSchedules(), 0);
  const { job } = await world.claimOne('w1', 'report');
  assert.deepEqual(JSON.parse(job.input), { page: 1 });
  assert.deepEqual(JSON.parse(job.metadata!), { schedule: { name: 'it', slot } });
  assert.equal(job.requestedBy, 'ann');
  assert.equal((await world.events(job))[0]!.actor, 'schedule:it');
  assert.equal((await world.engine.schedules.get(REF)).nextAt, schedule.nextAt! + 24 * HOUR_MS);
  assert.deepEqual(await history(world), ['01-01T09:30 created']);
  await world.close();
});

test('[T39] time zones: the same wall-clock time is another moment', async () => {
  const world = await open();
  const next = async (timeZone: string): Promise<string> => {
    const rule: Rule = { kind: 'cron', expression: '0 9 * * *', timeZone };
    const { schedule } = await put(world, rule);
    return new Date(schedule.nextAt!).toISOString();
  };
  assert.equal(await next('Europe/Berlin'), '2026-01-01T08:00:00.000Z');
  assert.equal(await next('America/New_York'), '2026-01-01T14:00:00.000Z');
  assert.equal(await next('Australia/Lord_Howe'), '2026-01-01T22:00:00.000Z');
  await world.close();
});

test('[T39] a one-off fires once, also when its time has just passed', async () => {
  const world = await open();
  await put(world, { kind: 'once', at: world.clock.now() - 1_000 });
  assert.equal(await world.engine.sweepSchedules(), 1);
  const { nextAt } = await world.engine.schedules.get(REF);
  assert.equal(nextAt, null);
  await put(world, { kind: 'once', at: world.clock.now() - 1_000 });
  assert.equal(await world.engine.sweepSchedules(), 0);
  await put(world, { kind: 'once', at: world.clock.now() + 5 });
  world.advance(5);
  assert.equal(await world.engine.sweepSchedules(), 1);
  await world.close();
});

test('[T39] an interval beats from its start, also when it is put again', async () => {
  const world = await open();
  const start = world.clock.now();
  const rule: Rule = { kind: 'interval', everyMs: 10_000 };
  await put(world, rule);
  world.advance(4_000);
  const { schedule } = await put(world, rule, { job: { ...JOB, queue: 'slow' } });
  assert.equal(schedule.nextAt, start + 10_000);
  assert.deepEqual(nextRuns(schedule, 3), [start + 10_000, start + 20_000, start + 30_000]);
  world.advance(6_000);
  assert.equal(await world.engine.sweepSchedules(), 1);
  assert.equal((await world.claimOne('w1', 'report')).job.queue, 'slow');
  await world.close();
});

const AWAY = { hourly: HOURLY, awayMs: 5 * HOUR_MS + 2 * MINUTE_MS };
const POLICIES = {
  skip: ['01-01T01:00…01-01T05:00 skipped'],
  once: ['01-01T01:00…01-01T04:00 skipped', '01-01T05:00 created'],
  all: [1, 2, 3, 4, 5].map((hour) => `01-01T0${hour}:00 created`),
} as const;

for (const policy of ['skip', 'once', 'all'] as const) {
  test(`[T39] missed slots, policy "${policy}": what is left out is in the history`, async () => {
    const world = await open();
    await put(world, AWAY.hourly, { missed: { policy } });
    world.advance(AWAY.awayMs);
    await world.engine.sweepSchedules();
    assert.deepEqual(await history(world), POLICIES[policy]);
    world.advance(58 * MINUTE_MS);
    await world.engine.sweepSchedules();
    assert.deepEqual(await history(world), [...POLICIES[policy], '01-01T06:00 created']);
    await world.close();
  });
}

test('[T39] missed slots, policy "all": no more than its bound, the latest ones', async () => {
  const world = await open();
  await put(world, HOURLY, { missed: { policy: 'all', max: 2 } });
  world.advance(AWAY.awayMs);
  assert.equal(await world.engine.sweepSchedules(), 2);
  assert.deepEqual(await history(world), [
    '01-01T01:00…01-01T03:00 skipped',
    '01-01T04:00 created',
    '01-01T05:00 created',
  ]);
  await world.close();
});

test('[T39] a slot in time is fired, and makes up for the missed ones', async () => {
  for (const policy of ['skip', 'once'] as const) {
    const world = await open();
    await put(world, HOURLY, { missed: { policy, graceMs: MINUTE_MS } });
    world.advance(3 * HOUR_MS + MINUTE_MS);
    await world.engine.sweepSchedules();
    const lines = ['01-01T01:00…01-01T02:00 skipped', '01-01T03:00 created'];
    assert.deepEqual(await history(world), lines);
    await world.close();
  }
});

test('[T39] a month of missed seconds is caught up with in one sweep', async () => {
  const world = await open();
  const missed = { policy: 'all', max: 250 } as const;
  await put(
    world,
    { kind: 'cron', expression: '* * * * * *' },
    { missed: { ...missed, graceMs: 0 } },
  );
  world.advance(30 * 24 * HOUR_MS);
  assert.equal(await world.engine.sweepSchedules(), 251);
  const lines = await history(world);
  assert.equal(lines.length, 252);
  assert.match(lines[0]!, /^01-01T00:00…01-30T23:55 skipped$/);
  await world.close();
});

test('[T39] a paused schedule fires nothing, and resumes with the next slot', async () => {
  const world = await open();
  const { schedules } = world.engine;
  await put(world, HOURLY);
  const paused = await schedules.pause(REF);
  assert.deepEqual([paused.isPaused, paused.nextAt, nextRuns(paused, 3)], [true, null, []]);
  assert.deepEqual(await schedules.pause(REF), paused);
  world.advance(AWAY.awayMs);
  assert.equal(await world.engine.sweepSchedules(), 0);
  await put(world, { kind: 'cron', expression: '30 * * * *' });
  assert.equal((await schedules.get(REF)).isPaused, true);
  const resumed = await schedules.resume(REF);
  assert.equal(new Date(resumed.nextAt!).toISOString(), '2026-01-01T05:30:00.000Z');
  assert.deepEqual(await schedules.resume(REF), resumed);
  assert.deepEqual(await history(world), []);
  await world.close();
});

test('[T39] a schedule can be run by hand, which costs no slot', async () => {
  const world = await open();
  await put(world, HOURLY);
  const before = await world.engine.schedules.get(REF);
  const bob = { tenant: TENANT, principal: 'bob' };
  const record = await world.engine.schedules.run(REF, bob);
  assert.deepEqual([record.result, record.isManual], ['created', true]);
  assert.equal((await world.job(record.jobId!)).requestedBy, 'bob');
  assert.deepEqual(await world.engine.schedules.get(REF), before);
  world.advance(HOUR_MS);
  assert.equal(await world.engine.sweepSchedules(), 1);
  await world.close();
});

test('[T39] a slot that is due is not lost by changing anything but the rule', async () => {
  const world = await open();
  await put(world, HOURLY);
  world.advance(HOUR_MS + 1);
  await put(world, HOURLY, { job: { ...JOB, input: 'new' } });
  assert.equal(await world.engine.sweepSchedules(), 1);
  assert.equal((await world.claimOne('w1', 'report')).job.input, '"new"');
  world.advance(HOUR_MS);
  await put(world, { kind: 'cron', expression: '15 * * * *' });
  assert.equal(await world.engine.sweepSchedules(), 0);
  await world.close();
});

test('[T39] a job that cannot be made is in the history with its reason', async () => {
  const world = await open();
  const { schedules } = world.engine;
  const rule = HOURLY;
  await world.putType('changed', { lifecycle: 'task' });
  const job = { type: 'changed', input: { a: 1 } };
  await schedules.put({ name: 'broken', caller: CALLER }, { rule, job });
  await world.putType('changed', { lifecycle: 'task', inputSchema: false });
  await put(world, rule);
  world.advance(HOUR_MS);
  assert.equal(await world.engine.sweepSchedules(), 1);
  const [record] = await schedules.history({ tenant: TENANT, name: 'broken', limit: 1 });
  assert.deepEqual([record!.result, record!.jobId], ['refused', null]);
  assert.match(record!.reason!, /^VALIDATION_ERROR: \/input: must be left out/);
  await assert.rejects(schedules.run({ tenant: TENANT, name: 'broken' }, CALLER), {
    code: 'VALIDATION_ERROR',
  });
  await world.close();
});

test('[T39] a deadline of a scheduled job is counted from its slot', async () => {
  const world = await open();
  await put(world, HOURLY, { job: { ...JOB, deadlineMs: 5 * MINUTE_MS } });
  const slot = world.advance(HOUR_MS);
  world.advance(30_000);
  await world.engine.sweepSchedules();
  const { job } = await world.claimOne('w1', 'report');
  assert.equal(job.deadlineAt, slot + 5 * MINUTE_MS);
  await world.close();
});

const FAULTY: Readonly<Record<string, [definition: object, pointer: string]>> = {
  'no cron': [{ rule: { kind: 'cron', expression: 'daily' } }, '/rule/expression'],
  'a date for a cron': [
    { rule: { kind: 'cron', expression: '2026-01-01T00:00:00' } },
    '/rule/expression',
  ],
  'a minute 61': [{ rule: { kind: 'cron', expression: '61 * * * *' } }, '/rule/expression'],
  '30 February': [{ rule: { kind: 'cron', expression: '0 0 30 2 *' } }, '/rule/expression'],
  'no time zone': [
    { rule: { kind: 'cron', expression: '@daily', timeZone: 'Mars/Olympus' } },
    '/rule/timeZone',
  ],
  'an interval too short': [{ rule: { kind: 'interval', everyMs: 10 } }, '/rule/everyMs'],
  'a one-off never': [{ rule: { kind: 'once', at: Number.NaN } }, '/rule/at'],
  'no rule': [{ rule: { kind: 'weekly' } }, '/rule/kind'],
  'a job with an id': [{ job: { type: 'report', id: 'x' } }, '/job/id'],
  'a job without a type': [{ job: { type: '' } }, '/job/type'],
  'no policy': [{ missed: { policy: 'some' } }, '/missed/policy'],
  'no bound': [{ missed: { policy: 'all', max: 0 } }, '/missed/max'],
};

for (const [what, [faulty, pointer]] of Object.entries(FAULTY)) {
  test(`[T39] a schedule with ${what} is refused by name`, async () => {
    const world = await open();
    const definition = { rule: HOURLY, job: JOB, ...faulty } as ScheduleDefinition;
    const named = { name: 'it', caller: CALLER };
    await assert.rejects(world.engine.schedules.put(named, definition), (error: unknown) => {
      const { code, faults } = error as { code: string; faults: { pointer: string }[] };
      assert.equal(code, 'VALIDATION_ERROR');
      assert.ok(
        faults.some((fault) => fault.pointer === pointer),
        JSON.stringify(faults),
      );
      return true;
    });
    assert.deepEqual(await world.engine.schedules.list({ tenant: TENANT, limit: 9 }), []);
    await world.close();
  });
}

test('[T39] a schedule that is not there is not found, in every use case', async () => {
  const world = await open();
  const { schedules } = world.engine;
  const missing = { code: 'NOT_FOUND' };
  await assert.rejects(schedules.get(REF), missing);
  await assert.rejects(schedules.pause(REF), missing);
  await assert.rejects(schedules.resume(REF), missing);
  await assert.rejects(schedules.run(REF, CALLER), missing);
  await assert.rejects(schedules.remove(REF), missing);
  await assert.rejects(schedules.history({ ...REF, limit: 1 }), missing);
  await put(world, HOURLY);
  await assert.rejects(schedules.get({ ...REF, tenant: 'other' }), missing);
  await schedules.remove(REF);
  await assert.rejects(schedules.get(REF), missing);
  await world.close();
});
