import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { SeededRandom } from '../../core/random.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openSqliteStore } from './store.ts';

/** Names on which the order of UTF-8 bytes and that of UTF-16 units differ, and near neighbours. */
const NAMES = ['a', 'a!', 'aa', 'b', '', '\u{ff5e}', '\u{1f600}', 'Z'];

describe('lanes', () => {
  test('leaping from lane to lane misses none and takes none that was not asked for', async () => {
    const clock = new ManualClock();
    const store = await openSqliteStore({ path: ':memory:', lifecycles, clock });
    const random = new SeededRandom(7);
    const scene = new Scene({ store, clock, lifecycles });
    for (const type of NAMES) await scene.type(type, 'task');
    for (let round = 0; round < 60; round++) {
      const stored: { id: string; type: string; queue: string }[] = [];
      for (let n = random.below(12); n >= 0; n--) {
        stored.push(await scene.enqueue({ type: random.pick(NAMES), queue: random.pick(NAMES) }));
      }
      const types = NAMES.filter(() => random.below(2) === 0);
      const queues = random.below(2) === 0 ? null : NAMES.filter(() => random.below(2) === 0);
      const isWanted = ({ type, queue }: { type: string; queue: string }): boolean =>
        types.includes(type) && (queues?.includes(queue) ?? true);
      const claimed = await store.claim(scene.claimRequest({ types, queues, max: 1_000 }));
      assert.deepEqual(
        claimed.map(({ job }) => job.id).sort(),
        stored
          .filter(isWanted)
          .map(({ id }) => id)
          .sort(),
        `round ${round}`,
      );
      await store.claim(scene.claimRequest({ types: NAMES, max: 1_000 }));
    }
    await store.close();
  });
});
