import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inMemory, openWorld, type World } from '../../../../test/support/world.ts';
import type { Store } from '../store/store.ts';

/** Lets somebody else act once, right after the next write and before what comes after it. */
function interrupted(store: Store, act: { next: (() => Promise<unknown>) | null }): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (key !== 'apply') return typeof member === 'function' ? member.bind(target) : member;
      return async (...moves: Parameters<Store['apply']>) => {
        const outcomes = await target.apply(...moves);
        const { next } = act;
        act.next = null;
        await next?.();
        return outcomes;
      };
    },
  });
}

test('[R13] a cancel that its owner overtook with a success is not called done', async () => {
  const act: { next: (() => Promise<unknown>) | null } = { next: null };
  const store = async (ports: Parameters<typeof inMemory>[0]): Promise<Store> =>
    interrupted(await inMemory(ports), act);
  const world: World = await openWorld({ store, types: { convert: { lifecycle: 'task' } } });
  const { tenant, id } = await world.enqueue('convert');
  const claim = await world.claimOne('w1', 'convert');
  act.next = () => world.complete(claim, 'sooner');
  const wish = { ref: { tenant, id }, actor: 'api', mode: 'soft', reason: null } as const;
  const [result] = await world.engine.cancel([wish]);
  assert.equal(result!.kind, 'requested');
  assert.equal((await world.job({ tenant, id })).phase, 'succeeded');
});
