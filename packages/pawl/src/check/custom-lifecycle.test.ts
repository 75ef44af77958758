import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { claimed } from '../../../../test/support/check/runs.ts';
import { soundLifecycle, walk } from '../../../../test/support/check/sound-lifecycle.ts';
import { failure, World } from '../../../../test/support/check/world.ts';
import { defineLifecycle } from '../core/define-lifecycle.ts';
import { checkHistory } from './check-history.ts';

/** What fails has failed, although the policy would allow more attempts. */
const oneTry = defineLifecycle({
  name: 'one-try',
  initial: 'open',
  states: { open: 'ready', busy: 'executing', done: 'succeeded', broken: 'failed' },
  transitions: [
    { on: 'claim', from: 'open', to: 'busy' },
    { on: 'succeed', from: 'busy', to: 'done' },
    { on: 'fail', from: 'busy', to: 'broken' },
    { on: 'lose', from: 'busy', to: 'broken' },
    { on: 'release', from: 'busy', to: 'open' },
  ],
  defaults: { retryable: ['timeout'] },
});

describe('a custom lifecycle is judged by its own table', () => {
  test('I15: one without retries may fail with attempts left', async () => {
    for (const on of ['fail', 'lose'] as const) {
      const world = new World(oneTry);
      await world.submit();
      const job = await claimed(world);
      world.clock.advance(on === 'lose' ? world.policy.lease.ttlMs : 1);
      if (on === 'lose') await world.ask(job, { on }, 'expired');
      else await world.ask(job, { on, error: failure('timeout') }, 'owner');
      assert.equal((await world.read(job.id)).phase, 'failed');
      assert.deepEqual(checkHistory(await world.record()), []);
    }
  });

  test('whatever happens to jobs of a sound one is no violation', async () => {
    let sound = 0;
    for (let seed = 1; seed <= 600; seed++) {
      const lifecycle = soundLifecycle(seed);
      if (lifecycle === null) continue;
      sound += 1;
      const world = new World(lifecycle, { seed });
      await walk(world, seed);
      const found = checkHistory(await world.record());
      assert.deepEqual(found, [], `seed ${seed}: ${JSON.stringify(lifecycle.transitions)}`);
    }
    assert.ok(sound > 100, `${sound} tables were sound`);
  });
});
