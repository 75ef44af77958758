import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchSlo } from '@pawl/server/internal/metrics/slo-gauges';
import { Meter } from '@pawl/server/internal/metrics/meter';
import { binOf, msOf, quantileMs } from 'pawl/internal/core/bins';
import { SloReader } from '@pawl/server/internal/slo/reader';
import { type SloReport, sloReports } from '@pawl/server/internal/slo/report';
import { DEFAULT_TARGETS, targetOf } from 'pawl/internal/contract/slo-target';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';
import { realStores } from '../support/real-stores.ts';
import { ManualTimers } from '../support/workshop.ts';
import { openApi } from './http-fixture.ts';
import { valuesOf } from './metrics-fixture.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

const types = { convert: { lifecycle: 'task' }, ai: { lifecycle: 'task' } } as const;

const HOUR = 3_600_000;

function readerOf(world: World): SloReader {
  return new SloReader(world.context, { timers: new ManualTimers(world.clock) });
}

async function one(world: World, type: string, run: { ms: number; error?: string }): Promise<void> {
  await world.enqueue(type);
  const claim = await world.claimOne('w1', type);
  world.advance(run.ms);
  if (run.error === undefined) await world.complete(claim);
  else await world.fail(claim, run.error);
}

async function reportOf(world: World, type: string): Promise<SloReport> {
  const [report] = await sloReports(world.context, { tenant: TENANT, type });
  return report!;
}

function windowOf(report: SloReport, name: string) {
  return report.windows.find(({ window }) => window === name)!;
}

test('[T22] the targets of the document are there from the start', () => {
  assert.deepEqual(DEFAULT_TARGETS, {
    convert: { p50Ms: 6_000, p95Ms: 15_000, p99Ms: 30_000 },
    export: { p50Ms: 4_000, p95Ms: 12_000, p99Ms: 25_000 },
    ai: { p50Ms: 1_200, p95Ms: 4_000, p99Ms: 8_000, measures: 'first_token' },
  });
  for (const type of ['convert', 'export', 'ai', 'anything']) {
    assert.equal(targetOf(type, null).failureRateMax, 0.02, type);
  }
  const own = targetOf('convert', { slo: { p95Ms: 1_000, failureRateMax: 0.5 } });
  assert.deepEqual([own.p50Ms, own.p95Ms, own.failureRateMax], [null, 1_000, 0.5]);
});

test('a quantile read from bins is off by 2.5 % at most, from a millisecond to a month', () => {
  for (const ms of [1, 2, 9, 250, 6_000, 86_400_000, 30 * 86_400_000]) {
    assert.ok(Math.abs(msOf(binOf(ms)) / ms - 1) <= 0.025 || ms < 20, String(ms));
  }
  const even = Array.from({ length: 1_000 }, (_, index) => ({ bin: binOf(index + 1), count: 1 }));
  for (const share of [0.5, 0.95, 0.99]) {
    const exact = share * 1_000;
    assert.ok(Math.abs(quantileMs(even, share)! / exact - 1) < 0.03, String(share));
  }
  assert.equal(quantileMs([], 0.5), null);
});

for (const { label, open } of stores) {
  test(`[T22] on ${label}: percentiles, failure rate, burn rate and budget are measured from the log, once`, async () => {
    const world = await openWorld({ store: open, types });
    const readers = [readerOf(world), readerOf(world)];
    for (let number = 1; number <= 20; number++)
      await one(world, 'convert', { ms: number * 1_000 });
    await one(world, 'convert', { ms: 100, error: 'internal_bug' });
    await one(world, 'convert', { ms: 100, error: 'unsupported_format' });
    await world.cancel(await world.enqueue('convert'));
    // Two processes at it at once, and again later: each end is counted once.
    await Promise.all(readers.map((reader) => reader.runOnce()));
    for (const reader of readers) await reader.runOnce();
    const report = await reportOf(world, 'convert');
    const week = windowOf(report, '7d');
    assert.deepEqual(week.counts, { succeeded: 20, failed: 1, refused: 1, cancelled: 1 });
    const near = (value: number | null, wanted: number) =>
      assert.ok(Math.abs(value! / wanted - 1) < 0.03, `${value} is not ${wanted}`);
    near(week.p50Ms, 10_000);
    near(week.p95Ms, 19_000);
    near(week.p99Ms, 20_000);
    near(week.failureRate, 1 / 21);
    near(week.burnRate, 1 / 21 / 0.02);
    near(report.errorBudgetRemaining, 1 - 1 / 21 / 0.02);
    assert.deepEqual(report.isMet, { p50: false, p95: false, p99: true, failureRate: false });
    await world.close();
  });
}

test('[T22] what lies behind a window is left out of it, and after a week of all', async () => {
  const world = await openWorld({ types });
  const reader = readerOf(world);
  await one(world, 'convert', { ms: 1_000, error: 'internal_bug' });
  world.advance(2 * HOUR);
  await one(world, 'convert', { ms: 1_000 });
  await reader.runOnce();
  const counts = async () =>
    (await reportOf(world, 'convert')).windows.map(({ window, counts: all }) => {
      return `${window} ${all.succeeded}/${all.failed}`;
    });
  assert.deepEqual(await counts(), ['5m 1/0', '1h 1/0', '6h 1/1', '1d 1/1', '7d 1/1']);
  world.advance(7 * 24 * HOUR + HOUR);
  assert.deepEqual(await counts(), ['5m 0/0', '1h 0/0', '6h 0/0', '1d 0/0', '7d 0/0']);
});

test('[T22] an alert fires while the budget burns too fast over a long and a short window', async () => {
  const world = await openWorld({ types });
  const reader = readerOf(world);
  const alerts = async () => {
    await reader.runOnce();
    const { alerts: all } = await reportOf(world, 'convert');
    return all.filter(({ isFiring }) => isFiring).map(({ name }) => name);
  };
  await one(world, 'convert', { ms: 1_000 });
  assert.deepEqual(await alerts(), []);
  await one(world, 'convert', { ms: 1_000, error: 'internal_bug' });
  assert.deepEqual(await alerts(), ['fast', 'slow']);
  world.advance(20 * 60_000);
  await one(world, 'convert', { ms: 1_000 });
  assert.deepEqual(await alerts(), ['slow'], 'it is over, but the hour was bad');
});

test('[T22] of ai jobs the time to the first token is measured', async () => {
  const world = await openWorld({ types });
  await world.enqueue('ai');
  const claim = await world.claimOne('w1', 'ai');
  world.advance(900);
  const notes = [{ type: 'job_tokens' as const, message: null, payload: { text: 'Hel' } }];
  await world.renew(claim, { notes });
  world.advance(20_000);
  await world.complete(claim);
  await readerOf(world).runOnce();
  const report = await reportOf(world, 'ai');
  assert.equal(report.target.measures, 'first_token');
  const { p50Ms } = windowOf(report, '7d');
  assert.ok(Math.abs(p50Ms! / 900 - 1) < 0.03, String(p50Ms));
});

test('counting goes on where it was after a restart, and after its place in the log is lost', async () => {
  const world = await openWorld({ types });
  await one(world, 'convert', { ms: 1_000 });
  await readerOf(world).runOnce();
  const { ends } = world.context.records;
  const at = await ends.readTo('slo');
  await ends.add({ reader: 'slo', from: at, to: 'x.1', counts: [], forgetBefore: null });
  assert.equal(await readerOf(world).runOnce(), 0, 'a cursor of another log is given up');
  await one(world, 'convert', { ms: 1_000 });
  assert.equal(await readerOf(world).runOnce(), 1);
  assert.equal(windowOf(await reportOf(world, 'convert'), '7d').counts.succeeded, 2);
});

test('[T22, R22] the API and the metrics show targets and what was measured, by type', async () => {
  const api = await openApi();
  const { world } = api;
  const slo = { p50Ms: 2_000, p95Ms: 4_000, failureRateMax: 0.1 };
  const put = await api.put('/v1/types/render', { lifecycle: 'task', slo });
  assert.deepEqual([put.status, put.body.slo.p95Ms], [201, 4_000]);
  await api.post('/v1/jobs', { type: 'render' });
  const claim = await world.claimOne('w1', 'render');
  world.advance(3_000);
  await world.complete(claim);
  await readerOf(world).runOnce();
  const { body } = await api.get('/v1/slo?type=render');
  assert.equal(body.items.length, 1);
  assert.deepEqual(body.items[0].isMet, { p50: false, p95: true, p99: null, failureRate: true });
  const names = (await api.get('/v1/slo')).body.items.map(({ type }: SloReport) => type);
  assert.deepEqual(names, ['export', 'index', 'render']);
  const bad = await api.put('/v1/types/render', { lifecycle: 'task', slo: { p50Ms: 9, p95Ms: 3 } });
  assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/slo/p95Ms']);
  const meter = new Meter({ withProcess: false });
  watchSlo(meter, world.context, 0);
  const labels = 'job_type="render",window="7d"';
  const [p50, p95, rate, left] = await valuesOf(meter, [
    `pawl_slo_duration_seconds{${labels},quantile="0.5"}`,
    `pawl_slo_duration_seconds{${labels},quantile="0.95"}`,
    `pawl_slo_failure_ratio{${labels}}`,
    'pawl_slo_error_budget_remaining_ratio{job_type="render"}',
  ]);
  assert.ok(Math.abs(p50! - 3) < 0.1 && Math.abs(p95! - 3) < 0.1);
  assert.deepEqual([rate, left], [0, 1]);
  await api.close();
});
