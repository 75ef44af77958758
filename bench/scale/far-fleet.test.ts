// Workers far away: the real engine and worker, in time that jumps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FarFleet, simulateFarFleet } from './far-fleet.ts';
import { httpDemandOf } from './fleet.ts';
import { httpReport, measuredFrom } from './measured.ts';
import { lastCosts } from '../costs/file.ts';
import { FLEET } from './scenarios.ts';
import { VirtualTime } from './virtual-time.ts';

const FLEET_OF_SIX: FarFleet = {
  roundTripsMs: [10, 250],
  workersEach: 3,
  slots: 4,
  jobMs: 20_000,
  heartbeatMs: 15_000,
  busy: 0.6,
  seconds: 120,
  line: { jitter: 0.2, loss: 0, silence: 0 },
};

test('sleepers wake in the order of their times, and earlier ones first', async () => {
  const time = new VirtualTime();
  const woken: number[] = [];
  for (const ms of [30, 10, 20, 10, 40]) void time.sleep(ms).then(() => woken.push(ms));
  const called = new AbortController();
  void time.sleep(1_000, called.signal).then(() => woken.push(0));
  called.abort();
  await time.runUntil(time.now() + 30);
  assert.deepEqual(woken, [0, 10, 10, 20, 30]);
});

test('a quarter of a second away leases hold, and jobs begin half a round trip later', async () => {
  const { regions, leasesLost, renewals, done } = await simulateFarFleet(FLEET_OF_SIX, 3);
  const [near, far] = [regions[0]!, regions[1]!];
  assert.equal(leasesLost, 0);
  assert.ok(done > 50 && renewals > done / 2, `${done} jobs, ${renewals} renewals`);
  assert.ok(near.waitP50Ms <= 10, `${near.waitP50Ms} ms`);
  assert.ok(far.waitP50Ms >= 125 && far.waitP50Ms <= 160, `${far.waitP50Ms} ms`);
});

test('the same seed gives the same run', async () => {
  const fleet = { ...FLEET_OF_SIX, seconds: 30, line: { jitter: 0.2, loss: 0.05, silence: 0.01 } };
  assert.deepEqual(await simulateFarFleet(fleet, 5), await simulateFarFleet(fleet, 5));
});

test('a request that nobody answers costs leases, unless they outlast its timeout', async () => {
  const line = { jitter: 0.2, loss: 0, silence: 0.02 };
  const short = await simulateFarFleet({ ...FLEET_OF_SIX, line }, 3);
  const long = await simulateFarFleet({ ...FLEET_OF_SIX, line, heartbeatMs: 60_000 }, 3);
  assert.ok(short.leasesLost > 0, `${short.leasesLost}`);
  assert.equal(long.leasesLost, 0);
});

test('the formula for claims that find nothing agrees with the simulation', async () => {
  const fleet = { ...FLEET_OF_SIX, roundTripsMs: [2], workersEach: 8, jobMs: 10_000 };
  const { emptyClaims } = await simulateFarFleet(fleet, 3);
  const measured = measuredFrom(lastCosts(), httpReport());
  const { slots, jobMs, busy } = fleet;
  const asFormula = { ...FLEET, workers: 8, slots, jobMs, busy, apiProcesses: 1 };
  const { emptyClaimsPerSecond } = httpDemandOf(measured, asFormula);
  const ratio = emptyClaims / fleet.seconds / emptyClaimsPerSecond;
  assert.ok(ratio > 0.7 && ratio < 1.3, `${ratio}`);
});
