// A long campaign is many runs in one process: what one of them has built must not stay behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemTimers } from 'pawl/internal/core/timers';
import type { Store } from 'pawl/internal/store/store';
import { inMemory, type OpenStore } from '../support/world.ts';
import { simulate } from './simulate.ts';

const SEEDS = 20;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('a run that is over leaves nothing in memory, crashed actors included', async () => {
  const stores: WeakRef<Store>[] = [];
  const open: OpenStore = async (ports) => {
    const store = await inMemory(ports);
    stores.push(new WeakRef(store));
    return store;
  };
  let crashes = 0;
  for (let seed = 1_000; seed < 1_000 + SEEDS; seed++) {
    const { faults } = await simulate({ seed, open, cast: 'swarm' });
    crashes += (faults.get('crashBefore') ?? 0) + (faults.get('crashAfter') ?? 0);
  }
  assert.ok(crashes > SEEDS, `only ${crashes} crashes`);
  // Weak references hold on to what they point at until this turn of promises is over.
  await systemTimers.sleep(0, new AbortController().signal);
  collectGarbage();
  const kept = stores.filter((store) => store.deref() !== undefined).length;
  // The last one may still be in a frame or a register of this test.
  assert.ok(kept <= 1, `${kept} of ${SEEDS} stores are still held by something`);
});
