import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { breakEvent, breakRow, broken, planted } from '../../../../test/support/check/planted.ts';
import {
  claimed,
  polledRun,
  retriedRun,
  succeededRun,
} from '../../../../test/support/check/runs.ts';
import { failure, World } from '../../../../test/support/check/world.ts';
import { process } from '../lifecycles/process.ts';
import { task } from '../lifecycles/task.ts';
import { checkHistory } from './check-history.ts';
import { foldEvents } from './fold.ts';

describe('foldEvents', () => {
  test('rebuilds the row of a job that was retried and succeeded', async () => {
    const { jobs, events } = await retriedRun();
    const job = jobs[0]!;
    const folded = foldEvents(job, events)!;
    const names = ['state', 'phase', 'epoch', 'version', 'attempts', 'retryCount', 'backoffMs'];
    const more = ['progress', 'error', 'createdAt', 'updatedAt', 'startedAt', 'completedAt', 'id'];
    for (const name of [...names, ...more] as (keyof typeof folded & keyof typeof job)[]) {
      assert.deepEqual(folded[name], job[name], name);
    }
    assert.equal(folded.attempts, 2);
    assert.equal(folded.backoffMs, 1_000);
  });

  test('of no events is nothing', async () => {
    const { jobs } = await succeededRun();
    assert.equal(foldEvents(jobs[0]!, []), null);
  });
});

describe('the log and the row', () => {
  const edits: Parameters<typeof breakRow>[1][] = [
    { state: 'FAILED', phase: 'failed' },
    { epoch: 2 },
    { attempts: 3 },
    { retryCount: 2 },
    { backoffMs: 5 },
    { stage: 'paint' },
    { message: 'else' },
    { startedAt: null },
    { completedAt: null },
    { createdAt: 1 },
    { updatedAt: 1 },
  ];
  for (const edit of edits) {
    planted(
      'I8',
      `a row whose ${Object.keys(edit).join(' and ')} is not the log's is found`,
      async () => breakRow(await succeededRunWithoutOperations(), edit),
    );
  }

  planted('I8', 'a version without an event is found', async () => {
    const kept = await retriedRun();
    return broken(kept, { events: kept.events.filter(({ version }) => version !== 4) });
  });

  planted('I8', 'a lost first event is found', async () => {
    const kept = await retriedRun();
    return broken(kept, { events: kept.events.filter(({ version }) => version !== 1) });
  });

  planted('I8', 'two events of one version are found', async () => {
    const kept = await retriedRun();
    return broken(kept, { events: [...kept.events, kept.events[3]!] });
  });

  planted('I8', 'a version that was raised without an event is found', async () => {
    const kept = await retriedRun();
    return breakRow(kept, { version: 8 });
  });

  planted('I8', 'an error that the log does not tell of is found', async () => {
    const kept = await lostError();
    return breakRow(kept, { error: { ...kept.jobs[0]!.error!, class: 'else' } });
  });

  planted('I8', 'a cancel wish without its event is found', async () => {
    const kept = await lostError();
    return breakRow(kept, { cancel: { mode: 'soft', reason: null } });
  });

  planted('I8', 'an epoch that ran ahead where the lifecycle has no quiet row is found', async () =>
    breakRow(await lostError(), { epoch: 9 }),
  );

  planted('I8', 'a progress below that of the log is found', async () => {
    const kept = await polledRun();
    return breakEvent(kept, 2, { progress: 7 });
  });

  planted('I8', 'events of a job that has no row are found', async () => {
    const kept = await succeededRun();
    return broken(kept, { jobs: [], history: [] });
  });

  test('quiet polls may carry the row ahead of its log', async () => {
    const kept = await polledRun();
    assert.equal(kept.jobs[0]!.epoch, 3);
    assert.equal(kept.events.findLast(({ note }) => note === 0)!.epoch, 1);
    assert.deepEqual(checkHistory(kept), []);
    const world = new World(process);
    await world.submit();
    await world.ask(await claimed(world), { on: 'advance', delayMs: 1 }, 'owner');
    assert.deepEqual(checkHistory(await world.record()), []);
  });
});

async function succeededRunWithoutOperations(): ReturnType<typeof succeededRun> {
  const { history: _, ledger: __, ...kept } = await succeededRun();
  return kept;
}

/** A task in its backoff: running/waiting, with an error, attempts 2. */
async function lostError(): ReturnType<typeof succeededRun> {
  const world = new World(task);
  await world.submit();
  await world.ask(await claimed(world), { on: 'fail', error: failure('network_timeout') }, 'owner');
  return world.record();
}
