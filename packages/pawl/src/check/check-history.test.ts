import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failure, World } from '../../../../test/support/check/world.ts';
import type { Request } from '../core/decision.ts';
import type { Job } from '../core/job.ts';
import { isOwned, isTerminal } from '../core/phase.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { checkHistory } from './check-history.ts';

const ERRORS = ['timeout', 'network_timeout', 'TransientError', 'validation_error', 'worker_lost'];

/** One random thing that may happen to a job, whoever does it. */
async function nudge(world: World, job: Job): Promise<void> {
  const { random, clock } = world;
  const error = failure(random.pick(ERRORS));
  const orders: Request[] = [
    { on: 'cancel', reason: null },
    { on: 'reject', error },
    { on: 'deadLetter', reason: 'timeout', message: 'enough' },
    { on: 'submit' },
  ];
  const reports: Request[] = [
    { on: 'succeed' },
    { on: 'start' },
    { on: 'release' },
    { on: 'fail', error },
    { on: 'fail', error },
    { on: 'fail', error, deadLetter: 'parse_error' },
    { on: 'snooze', delayMs: 1_000 },
    { on: 'snooze', delayMs: 0 },
    { on: 'advance', delayMs: 500 },
  ];
  const dice = random.below(20);
  if (dice < 2) clock.advance(random.below(200_000));
  else if (dice < 9) clock.advance(random.below(3_000));
  else if (dice < 10) await world.ask(job, random.pick(orders));
  else if (isTerminal(job.phase)) await world.compensated(job);
  else if (!isOwned(job.phase)) await world.claim(`worker-${random.below(3)}`);
  else if (clock.now() >= job.leaseExpiry!) await world.ask(job, { on: 'lose' }, 'expired');
  else if (dice < 13) await world.renew(job, { progress: random.below(100), stage: 'cut' });
  else if (dice === 13) await world.wishCancel(job);
  else {
    world.ran(job);
    await world.ask(job, random.pick(reports), 'owner');
  }
}

describe('checkHistory', () => {
  for (const lifecycle of builtInLifecycles) {
    test(`finds nothing wrong with true histories of ${lifecycle.name}`, async () => {
      for (let seed = 1; seed <= 40; seed++) {
        const world = new World(lifecycle, { seed });
        const ids = [await world.submit(), await world.submit({ submit: false })].map((j) => j.id);
        for (let step = 0; step < 120; step++) {
          const id = world.random.pick(ids);
          // Every job that is not terminal is nudged, so that most of them come to an end.
          await nudge(world, await world.read(id));
        }
        const notes = seed % 2 === 0;
        const found = checkHistory(await world.record({ notes }));
        assert.deepEqual(found, [], `seed ${seed}`);
      }
    });
  }

  test('says when a lifecycle or a policy is not known, instead of passing the job', async () => {
    const world = new World(builtInLifecycles[0]!);
    await world.submit();
    const input = await world.record();
    const ids = (edit: object): string[] =>
      checkHistory({ ...input, ...edit }).map(({ invariant }) => invariant);
    assert.deepEqual(ids({ lifecycles: [] }), ['L1']);
    assert.deepEqual(ids({ policies: new Map() }), ['I15']);
  });
});
