import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { breakEvent, broken, planted } from '../../../../test/support/check/planted.ts';
import {
  claimed,
  lostRun,
  polledRun,
  retriedRun,
  succeededRun,
} from '../../../../test/support/check/runs.ts';
import { failure, World } from '../../../../test/support/check/world.ts';
import { document } from '../lifecycles/document.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput } from './history.ts';

/** The same epoch for everything from a version on, in the row too. */
function flatten(kept: HistoryInput, version: number, epoch: number): HistoryInput {
  return {
    ...kept,
    jobs: kept.jobs.map((job) => ({ ...job, epoch })),
    events: kept.events.map((event) => (event.version < version ? event : { ...event, epoch })),
  };
}

/** created 1, queued 2, claimed 3, retry_scheduled 4, requeued 5, claimed 6, all by w1. */
async function goneRound(): Promise<HistoryInput> {
  const world = new World(document);
  await world.submit();
  await world.ask(await claimed(world), { on: 'fail', error: failure('timeout') }, 'owner');
  world.clock.advance(1_000);
  await claimed(world);
  return world.record();
}

describe('epochs', () => {
  planted('I3', 'a return that opens no new epoch is found', async () => {
    const kept = await goneRound();
    return broken(kept, flatten(kept, 5, 1));
  });

  planted('I3', 'an epoch that jumps by two is found', async () => {
    const kept = await goneRound();
    return broken(kept, flatten(kept, 5, 3));
  });

  planted('I3', 'a new epoch that no row opens is found', async () => {
    const kept = await succeededRun();
    const { ledger: _, ...rest } = kept;
    const moved = flatten(kept, 4, 2);
    return { kept: rest, broken: { ...rest, jobs: moved.jobs, events: moved.events } };
  });

  planted('I3', 'an annotation that changes the epoch is found', async () => {
    const world = new World(document);
    await world.submit();
    await world.wishCancel((await world.claim('w1'))!);
    const kept = await world.record();
    return broken(kept, flatten(kept, 4, 2));
  });

  planted('I3', 'an attempt that a retry did not count is found', async () => {
    const kept = await retriedRun();
    return broken(kept, {
      jobs: kept.jobs.map((job) => ({ ...job, attempts: 1 })),
      events: kept.events.map((event) => ({ ...event, attempt: Math.min(1, event.attempt) })),
    });
  });

  planted('I3', 'a retry count that rises without a retry is found', async () => {
    const kept = await succeededRun();
    const more = breakEvent(kept, 4, { retryCount: 1 }).broken.events;
    return broken(kept, { events: more, jobs: kept.jobs.map((j) => ({ ...j, retryCount: 1 })) });
  });

  test('a second claim of one epoch is found, whatever else it breaks', async () => {
    const kept = await retriedRun();
    const { events } = breakEvent(kept, 6, { epoch: 1 }).broken;
    const found = checkHistory({ ...kept, events });
    assert.ok(found.some(({ message }) => message === 'epoch 1 was claimed a second time'));
  });

  test('a lost lease and quiet polls turn the epoch lawfully', async () => {
    assert.deepEqual(checkHistory(await lostRun()), []);
    assert.deepEqual(checkHistory(await polledRun()), []);
  });
});
