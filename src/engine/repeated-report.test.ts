import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdingOf, openWorld } from '../../test/support/world.ts';

const types = {
  convert: { lifecycle: 'task' },
  index: { lifecycle: 'distributed' },
} as const;

describe('a report that was made before', () => {
  test('[T32] the same completion again changes nothing and is not refused', async () => {
    const world = await openWorld({ types });
    await world.enqueue('convert');
    const claim = await world.claimOne('w1', 'convert');
    const done = await world.complete(claim, 'x');
    assert.deepEqual(await world.complete(claim, 'x'), done);
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
