// The capacity model of docs/guides/operate/capacity.md, where it can be checked without waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from 'pawl/internal/core/random';
import { meanWaitMs, slotsFor, waitingShareOf } from './scale/queueing.ts';
import { balanceOf, databaseOf, skewedLoads } from './scale/shards.ts';
import { simulatedWaitMs } from './scale/simulated-wait.ts';
import { worldWaitMs } from './scale/world-run.ts';

test('the formula for the wait agrees with a simulation of it', () => {
  for (const jobsPerSecond of [20, 28, 34]) {
    const fleet = { slots: 8, jobsPerSecond, serviceMs: 200 };
    const simulated = simulatedWaitMs(fleet, 200_000, new SeededRandom(1));
    const ratio = simulated / meanWaitMs(fleet);
    assert.ok(ratio > 0.9 && ratio < 1.1, `${jobsPerSecond} a second: ${ratio}`);
  }
  // One slot, half busy: known by heart.
  const one = { slots: 1, jobsPerSecond: 5, serviceMs: 100 };
  assert.ok(Math.abs(waitingShareOf(one) - 0.5) < 1e-9);
  assert.ok(Math.abs(meanWaitMs(one) - 100) < 1e-9);
});

test('the engine and the worker hand out slots as the simulation does', async () => {
  const fleet = { slots: 4, jobsPerSecond: 17, serviceMs: 200 };
  const simulated = simulatedWaitMs(fleet, 150, new SeededRandom(3));
  const real = await worldWaitMs(fleet, 150, new SeededRandom(3));
  assert.ok(simulated > 20, `${simulated} ms`);
  // Times are whole milliseconds there.
  assert.ok(Math.abs(real - simulated) < 3, `${real} ms against ${simulated} ms`);
});

test('slots that cannot keep up make jobs wait for ever, and the fewest that do are found', () => {
  const load = { jobsPerSecond: 50, serviceMs: 200 };
  assert.equal(meanWaitMs({ ...load, slots: 10 }), Infinity);
  const slots = slotsFor(load, 50);
  assert.ok(meanWaitMs({ ...load, slots }) <= 50);
  assert.ok(meanWaitMs({ ...load, slots: slots - 1 }) > 50);
});

test('a database more takes its share of tenants and moves no other', () => {
  const before = ['a', 'b', 'c', 'd'];
  const tenants = [...skewedLoads(2_000).keys()];
  const moved = tenants.filter(
    (tenant) => databaseOf(tenant, before) !== databaseOf(tenant, [...before, 'e']),
  );
  for (const tenant of moved) assert.equal(databaseOf(tenant, [...before, 'e']), 'e');
  const share = moved.length / tenants.length;
  assert.ok(share > 0.15 && share < 0.25, `${share}`);
});

test('large tenants make hashing uneven, and placing them by hand mends it', () => {
  const { fullest, fullestByHand } = balanceOf(1_000, 4);
  assert.ok(fullest > 1.05, `${fullest}`);
  assert.ok(fullestByHand < 1.05, `${fullestByHand}`);
  // One tenant can be more than a database's share: then it needs one of its own.
  assert.ok(balanceOf(1_000, 16).fullestByHand > 2);
});
