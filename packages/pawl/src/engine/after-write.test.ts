import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openWorld, TENANT, type World } from '../../../../test/support/world.ts';
import { StoreError } from '../store/store-error.ts';

const types = { convert: { lifecycle: 'task' } } as const;

/** From the next write on, nothing can be read any more. */
function loseReads({ store }: World, verb: 'insert' | 'apply'): void {
  const write = store[verb].bind(store) as (asked: readonly object[]) => Promise<never>;
  store[verb] = async (asked: readonly object[]) => {
    const answer = await write(asked);
    store.read = (): Promise<never> => Promise.reject(new StoreError('unchanged', 'no connection'));
    return answer;
  };
}

describe('a failure after a part was written does not say that nothing was changed:', () => {
  test('a batch of which one job is new', async () => {
    const world = await openWorld({ types });
    loseReads(world, 'insert');
    const request = { type: 'convert', idempotencyKey: 'k' };
    const caller = { tenant: TENANT, principal: null };
    const asked = world.engine.enqueue([request, request], { caller });
    await assert.rejects(asked, { name: 'StoreError', outcome: 'unknown' });
  });

  test('a cancel that cannot be read back', async () => {
    const world = await openWorld({ types });
    const { id } = await world.enqueue('convert');
    loseReads(world, 'apply');
    await assert.rejects(world.cancel(id), { name: 'StoreError', outcome: 'unknown' });
  });

  test('where nothing was written the failure says so', async () => {
    const world = await openWorld({ types });
    const first = await world.enqueue('convert', 1, { idempotencyKey: 'k' });
    loseReads(world, 'insert');
    const again = world.enqueue('convert', 1, { idempotencyKey: 'k' });
    await assert.rejects(again, { name: 'StoreError', outcome: 'unchanged' });
    assert.equal(first.state, 'pending');
  });
});
