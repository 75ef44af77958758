import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdingOf, openWorld, type World } from '../../../../test/support/world.ts';
import { StoreError } from '../store/store-error.ts';
import type { Claim } from './claim.ts';
import type { Settlement } from './settle.ts';

const types = { convert: { lifecycle: 'task' } } as const;
const NEXT = { owner: 'w1', types: ['convert'], max: 1, requestId: 'r-1' };

async function holding(): Promise<{ world: World; claim: Claim }> {
  const world = await openWorld({ types });
  for (let n = 0; n < 3; n++) await world.enqueue('convert', n);
  const [claim] = await world.engine.claim({ owner: 'w1', types: ['convert'], max: 1 });
  return { world, claim: claim! };
}

function success(claim: Claim, result = '1'): Settlement {
  return { ...holdingOf(claim), known: claim.job, ending: { kind: 'succeed', result } };
}

describe('settling and claiming in one call', () => {
  test('is one call of the store, and gives claims as any other does', async () => {
    const { world, claim } = await holding();
    const { store } = world;
    store.claim = () => assert.fail('a claim of its own');
    const { outcomes, claims } = await world.engine.settleAndClaim([success(claim)], NEXT);
    assert.equal(outcomes[0]!.kind, 'moved');
    assert.equal(claims.length, 1);
    assert.deepEqual([claims[0]!.job.owner, claims[0]!.job.phase], ['w1', 'executing']);
    assert.ok(claims[0]!.renewInMs > 0 && claims[0]!.leaseMs > 0 && claims[0]!.policy);
  });

  test('[R6, R20] repeated after a lost answer finds the same job, and its end unchanged', async () => {
    const { world, claim } = await holding();
    const first = await world.engine.settleAndClaim([success(claim)], NEXT);
    const again = await world.engine.settleAndClaim([success(claim)], NEXT);
    assert.equal(again.outcomes[0]!.kind, 'unchanged');
    assert.deepEqual(
      again.claims.map(({ job }) => job.id),
      first.claims.map(({ job }) => job.id),
    );
    const tally = await world.engine.tally(null);
    assert.equal(tally.find(({ phase }) => phase === 'ready')?.count, 1);
  });

  test('[R7] claims beside an end that is refused', async () => {
    const { world, claim } = await holding();
    const stale = { ...success(claim), epoch: claim.job.epoch + 7 };
    const { outcomes, claims } = await world.engine.settleAndClaim([stale], NEXT);
    assert.equal(outcomes[0]!.kind, 'refused');
    assert.equal(claims.length, 1);
  });

  test('[R20] claims once where an end has to be planned again', async () => {
    const { world, claim } = await holding();
    await world.cancel(claim.job.id);
    const ending = { kind: 'snooze', delayMs: 5 } as const;
    const stale = { ...success(claim), ending };
    const next = { ...NEXT, requestId: null };
    const { outcomes, claims } = await world.engine.settleAndClaim([stale], next);
    assert.equal(outcomes[0]!.kind, 'moved');
    assert.equal(claims.length, 1);
    assert.equal((await world.engine.claim({ ...next, max: 9 })).length, 1);
  });

  test('does not say that nothing was changed when a job was won before it failed', async () => {
    const { world, claim } = await holding();
    await world.cancel(claim.job.id);
    const { store } = world;
    const apply = store.apply.bind(store) as (...asked: unknown[]) => Promise<never>;
    store.apply = (...asked: unknown[]) => {
      store.read = (): Promise<never> =>
        Promise.reject(new StoreError('unchanged', 'no connection'));
      return apply(...asked);
    };
    const stale = { ...success(claim), ending: { kind: 'snooze', delayMs: 5 } as const };
    const call = world.engine.settleAndClaim([stale], NEXT);
    await assert.rejects(call, { name: 'StoreError', outcome: 'unknown' });
  });

  test('without ends it claims, and without types it settles', async () => {
    const { world, claim } = await holding();
    assert.equal((await world.engine.settleAndClaim([], NEXT)).claims.length, 1);
    const { outcomes, claims } = await world.engine.settleAndClaim([success(claim)], {
      ...NEXT,
      types: [],
    });
    assert.deepEqual([outcomes[0]!.kind, claims], ['moved', []]);
  });
});
