import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { breakEvent, broken, planted } from '../../../../test/support/check/planted.ts';
import { claimed, lostRun, retriedRun, succeededRun } from '../../../../test/support/check/runs.ts';
import { failure, World } from '../../../../test/support/check/world.ts';
import { platform } from '../lifecycles/platform.ts';
import { process } from '../lifecycles/process.ts';
import { checkHistory } from './check-history.ts';

describe('tokens', () => {
  planted('I4', 'a completion by another worker than the owner is found', async () =>
    breakEvent(await succeededRun(), 4, { actor: 'worker:w9' }),
  );

  planted('I4', 'a completion by the former owner after its loss is found', async () => {
    const kept = await retriedRun();
    return breakEvent(kept, 7, { actor: 'worker:w1' });
  });

  planted('I4', 'a heartbeat of a former owner is found', async () => {
    const kept = await lostRun();
    const claim = kept.events.find((event) => event.version === 6)!;
    const late = { ...claim, note: 1, type: 'job_heartbeat' as const, actor: 'worker:w1' };
    return broken(kept, { events: [...kept.events, late] });
  });

  planted('I4', 'a note that carries an older epoch is found', async () => {
    const kept = await lostRun();
    const claim = kept.events.find((event) => event.version === 6)!;
    const late = { ...claim, note: 1, type: 'job_heartbeat' as const, epoch: 1 };
    return broken(kept, { events: [...kept.events, { ...late, actor: 'system' }] });
  });

  planted('I4', 'a note that a worker wrote while nobody owned the job is found', async () => {
    const kept = await retriedRun();
    const wait = kept.events.find((event) => event.version === 4)!;
    const late = { ...wait, note: 1, type: 'job_log' as const };
    return broken(kept, { events: [...kept.events, late] });
  });

  planted('I4', 'a worker that moves a job out of its wait is found', async () =>
    breakEvent(await retriedRun(), 5, { actor: 'worker:w1' }),
  );

  planted('I4', 'two writers in one quietly claimed epoch are found', async () => {
    const world = new World(process);
    await world.submit();
    await world.ask(await claimed(world), { on: 'snooze', delayMs: 0 }, 'owner');
    const job = await claimed(world, 'w2');
    await world.renew(job, { progress: 10 });
    await world.ask(job, { on: 'succeed' }, 'owner');
    return breakEvent(await world.record(), [2, 1], { actor: 'worker:w1' });
  });

  test('the steps of one chain to the end share the right of the first', async () => {
    const world = new World(platform);
    await world.submit();
    const error = failure('validation_error');
    await world.ask(await claimed(world), { on: 'fail', error }, 'owner');
    const input = await world.record();
    assert.equal(input.jobs[0]!.phase, 'dead');
    assert.deepEqual(checkHistory(input), []);
  });
});
