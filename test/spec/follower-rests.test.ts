// A follower that has little to do with most entries does not chase the end of the log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FollowOptions } from 'pawl/internal/engine/follow/follower';
import { openWorld } from '../support/world.ts';

const TYPES = { mail: { lifecycle: 'task' } };
const EVERY_MS = 500;
const FOLLOW = { everyMs: EVERY_MS, handle: () => undefined } satisfies Partial<FollowOptions>;

test('it rests after a batch that reached the end of the log, and not before', async () => {
  const world = await openWorld({ types: TYPES });
  for (let n = 0; n < 3; n++) await world.enqueue('mail', n);
  const follower = world.engine.follow({ ...FOLLOW, name: 'rests', gathers: true, batchMax: 2 });
  const rounds = [await follower.runOnce(), await follower.runOnce(), await follower.runOnce()];
  assert.deepEqual(rounds, [
    { kind: 'handled', count: 2, waitMs: 0 },
    { kind: 'handled', count: 1, waitMs: EVERY_MS },
    { kind: 'idle', count: 0, waitMs: EVERY_MS },
  ]);
});

test('one that does not gather reads on at once', async () => {
  const world = await openWorld({ types: TYPES });
  await world.enqueue('mail', 1);
  const follower = world.engine.follow({ ...FOLLOW, name: 'hurries' });
  assert.deepEqual(await follower.runOnce(), { kind: 'handled', count: 1, waitMs: 0 });
});

test('it does not rest where it was woken while it was at work', async () => {
  const world = await openWorld({ types: TYPES });
  const rested = Promise.withResolvers<void>();
  const counts: number[] = [];
  const follower = world.engine.follow({
    ...FOLLOW,
    name: 'woken',
    gathers: true,
    timers: {
      sleep: async (ms, signal) => {
        // The lease that is kept meanwhile sleeps as well, for longer.
        if (ms === EVERY_MS) rested.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
    handle: async (items) => {
      counts.push(items.length);
      if (counts.length > 1) return;
      await world.enqueue('mail', 2);
      follower.wake();
    },
  });
  await world.enqueue('mail', 1);
  follower.start();
  await rested.promise;
  assert.deepEqual(counts, [1, 1]);
  await follower.stop();
});
