import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdingOf, openWorld } from '../../../../test/support/world.ts';

const types = {
  convert: { lifecycle: 'task' },
  index: { lifecycle: 'distributed' },
} as const;

describe('a report that was made before', () => {
  test('[T32] the same completion again changes nothing, and the log warns of it', async () => {
    const warned: unknown[] = [];
    const log = { warn: (message: string, facts: object) => void warned.push([message, facts]) };
    const world = await openWorld({ types, log });
    const { id: jobId } = await world.enqueue('convert');
    const claim = await world.claimOne('w1', 'convert');
    const done = await world.complete(claim, { a: 1, b: 2 });
    assert.deepEqual(warned, []);
    assert.deepEqual(await world.complete(claim, { b: 2, a: 1 }), done);
    const message = 'an end was reported twice; the second report is ignored';
    assert.deepEqual(warned, [[message, { jobId, owner: 'w1', ending: 'succeed' }]]);
  });

  test('[T32, R7] a second completion with another result is refused', async () => {
    for (const [first, second] of [
      [{ pages: 3 }, { pages: 4 }],
      [null, 1],
      [0, null],
      ['', false],
    ]) {
      const world = await openWorld({ types });
      await world.enqueue('convert');
      const claim = await world.claimOne('w1', 'convert');
      const done = await world.complete(claim, first);
      const again = world.complete(claim, second);
      await assert.rejects(again, { code: 'LEASE_LOST', message: /with another result/ });
      assert.deepEqual(await world.job(claim.job), done);
    }
  });

  test('[R6, R7] of another worker it is no repeat, whatever it reports', async () => {
    const world = await openWorld({ types });
    for (const type of ['convert', 'index'] as const) {
      await world.enqueue(type);
      const claim = await world.claimOne('w1', type);
      if (type === 'index') await world.fail(claim, 'timeout');
      else await world.complete(claim, 'x');
      const error = { class: 'timeout', message: 'a timeout' };
      const ending =
        type === 'index'
          ? ({ kind: 'fail', error } as const)
          : ({ kind: 'succeed', result: '"x"' } as const);
      const asked = { ...holdingOf(claim), owner: 'w2', ending };
      const [outcome] = await world.engine.settle([asked]);
      assert.equal(outcome!.kind === 'refused' && outcome!.error.code, 'LEASE_LOST');
    }
  });

  test('[T32] the same failure again is recognised, also where it opened a new epoch', async () => {
    const world = await openWorld({ types });
    await world.enqueue('index');
    const claim = await world.claimOne('w1', 'index');
    const queued = await world.fail(claim, 'timeout');
    assert.deepEqual(await world.fail(claim, 'timeout'), queued);
  });

  test('[R7] an earlier turn is not taken for a later one of the same owner', async () => {
    const world = await openWorld({ types });
    await world.enqueue('convert');
    const lost = await world.claimOne('w1', 'convert');
    world.advance(lost.leaseMs);
    await world.sweep();
    const later = await world.claimOne('w1', 'convert');
    assert.equal(later.job.epoch, lost.job.epoch + 1);
    await world.complete(later, 'later');
    const asked = { ...holdingOf(lost), ending: { kind: 'succeed', result: '"lost"' } as const };
    const [outcome] = await world.engine.settle([asked]);
    assert.equal(outcome!.kind, 'refused');
    assert.equal((await world.job(lost.job)).result, '"later"');
  });
});
