import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import { leaseLimit, leaseWindowMs, renewInMs } from './lease.ts';

test('[R9] a fresh lease is good for its ttl or two heartbeats, whichever ends first', () => {
  assert.equal(leaseWindowMs({ ttlMs: 60_000, heartbeatMs: 15_000 }), 30_000);
  assert.equal(leaseWindowMs({ ttlMs: 30_000, heartbeatMs: 15_000 }), 30_000);
  assert.equal(leaseWindowMs({ ttlMs: 30_000, heartbeatMs: 30_000 }), 30_000);
});

test('[R8] an owner renews at half of the window, or at its heartbeat if that is sooner', () => {
  assert.equal(renewInMs({ ttlMs: 60_000, heartbeatMs: 15_000 }), 15_000);
  assert.equal(renewInMs({ ttlMs: 30_000, heartbeatMs: 30_000 }), 15_000);
  assert.equal(renewInMs({ ttlMs: 30_001, heartbeatMs: 30_000 }), 15_000);
});

test('[R8, R9] a renewal always comes before the lease ends, with time for one more', () => {
  const ms = fc.integer({ min: 2, max: 86_400_000 });
  fc.assert(
    fc.property(ms, ms, (ttlMs, heartbeatMs) => {
      const lease = { ttlMs, heartbeatMs };
      assert.ok(2 * renewInMs(lease) <= leaseWindowMs(lease));
      assert.ok(leaseWindowMs(lease) <= ttlMs);
      assert.ok(leaseWindowMs(lease) <= 2 * heartbeatMs);
    }),
  );
});

test('an attempt ends with its time-out or with the deadline of its job, the earlier', () => {
  const claimedAt = 1_000;
  const limit = (timeoutMs: number | null, deadlineAt: number | null): number | null =>
    leaseLimit({ claimedAt, timeoutMs, deadlineAt });
  assert.equal(limit(null, null), null);
  assert.equal(limit(500, null), 1_500);
  assert.equal(limit(null, 1_200), 1_200);
  assert.equal(limit(500, 1_200), 1_200);
  assert.equal(limit(100, 1_200), 1_100);
  assert.equal(limit(500, 900), 900);
});
