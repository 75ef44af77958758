import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { broken, planted } from '../../../../test/support/check/planted.ts';
import { claimed, retriedRun, succeededRun } from '../../../../test/support/check/runs.ts';
import { World } from '../../../../test/support/check/world.ts';
import type { LeasePolicy } from '../core/lease.ts';
import type { Policy } from '../core/policy.ts';
import { distributed } from '../lifecycles/distributed.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput } from './history.ts';

/** The same history under a lease so short that its owners were late. */
function underLease(
  kept: HistoryInput,
  lease: LeasePolicy,
): { kept: HistoryInput; broken: HistoryInput } {
  const policies = new Map<number, Policy>();
  for (const [number, policy] of kept.policies) policies.set(number, { ...policy, lease });
  return broken(kept, { policies });
}

describe('late writes', () => {
  planted('L3', 'a note at the very deadline is found', async () =>
    underLease(await succeededRun(), { ttlMs: 1_000, heartbeatMs: 50 }),
  );

  planted('L3', 'a start at the very deadline is found', async () => {
    const world = new World(distributed);
    await world.submit();
    const job = (await world.claim('w1'))!;
    world.clock.advance(1_000);
    await world.ask(job, { on: 'start' }, 'owner');
    return underLease(await world.record(), { ttlMs: 1_000, heartbeatMs: 500 });
  });

  planted('L3', 'a failure reported after the lease is found', async () => {
    const world = new World(distributed);
    await world.submit();
    const job = await claimed(world);
    world.clock.advance(700);
    await world.ask(job, { on: 'succeed' }, 'owner');
    world.ran(job);
    return underLease(await world.record(), { ttlMs: 600, heartbeatMs: 500 });
  });

  planted('L3', 'a write in the millisecond of the claim needs a lease of its own', async () =>
    underLease(await retriedRun(), { ttlMs: 0, heartbeatMs: 0 }),
  );

  test('without notes a long life is not taken for a late one', async () => {
    const world = new World(distributed);
    await world.submit();
    const job = await claimed(world);
    for (let beat = 0; beat < 10; beat++) {
      world.clock.advance(20_000);
      await world.renew(job);
    }
    await world.ask(job, { on: 'succeed' }, 'owner');
    world.ran(job);
    const record = await world.record();
    const events = record.events.filter((event) => event.note === 0);
    const late = (areNotesKept: boolean): string[] =>
      checkHistory({ ...record, events, areNotesKept }).map(({ invariant }) => invariant);
    assert.deepEqual(late(false), []);
    assert.deepEqual(late(true), ['L3']);
  });
});
