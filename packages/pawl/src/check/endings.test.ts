import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { broken, planted } from '../../../../test/support/check/planted.ts';
import { failedRun, retriedRun, succeededRun } from '../../../../test/support/check/runs.ts';
import { World } from '../../../../test/support/check/world.ts';
import type { JobEvent } from '../core/event.ts';
import { distributed } from '../lifecycles/distributed.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput, Operation } from './history.ts';

/** One more event after the last, and the row as it says. */
function withAnother(kept: HistoryInput, edit: Partial<JobEvent>): HistoryInput {
  const last = kept.events.at(-1)!;
  const next: JobEvent = { ...last, version: last.version + 1, from: last.to, ...edit };
  const { version, to: state, phase, epoch } = next;
  const completedAt = edit.phase === undefined ? next.at : last.at;
  return {
    ...kept,
    events: [...kept.events, next],
    jobs: kept.jobs.map((job) => ({ ...job, version, state, phase, epoch, completedAt })),
  };
}

function editCompletions(kept: HistoryInput, edit: object): HistoryInput {
  const history = kept.history!.map((one): Operation =>
    one.kind === 'complete' ? { ...one, ...edit } : one,
  );
  return { ...kept, history };
}

describe('endings', () => {
  planted('I5', 'a second ending is found', async () => {
    const kept = await failedRun();
    return broken(kept, withAnother(kept, {}));
  });

  planted('I5', 'a stored result that nobody reported is found', async () => {
    const kept = await succeededRun();
    return broken(kept, editCompletions(kept, { result: '"another"' }));
  });

  planted('I5', 'a completion that was accepted for an older epoch is found', async () => {
    const kept = await retriedRun();
    return broken(kept, editCompletions(kept, { epoch: 1 }));
  });

  planted('I5', 'a completion that was accepted for a job that failed is found', async () => {
    const kept = await failedRun();
    const { tenant, id: jobId } = kept.jobs[0]!;
    const told = { kind: 'complete', tenant, jobId, owner: 'w1', epoch: 1 } as const;
    const extra: Operation = { ...told, outcome: 'ok', result: null };
    return broken(kept, { history: [...kept.history!, extra] });
  });

  planted('I5', 'two accepted completions with different results are found', async () => {
    const kept = await succeededRun();
    const [first] = kept.history!.filter((one) => one.kind === 'complete');
    return broken(kept, { history: [...kept.history!, { ...first!, result: '"else"' }] });
  });

  planted('I10', 'a job that comes back to life is found', async () => {
    const kept = await failedRun();
    const life = { to: 'QUEUED', phase: 'ready', epoch: 2, type: 'job_requeued' } as const;
    return broken(kept, withAnother(kept, { ...life, payload: null }));
  });

  planted('I10', 'a cancel wish on an ended job is found', async () => {
    const kept = await succeededRun();
    const wish = { type: 'job_cancel_requested', phase: 'succeeded' } as const;
    return broken(kept, withAnother(kept, wish));
  });

  test('a repeated completion, a lost answer and a compensation are lawful', async () => {
    const kept = await succeededRun();
    const [first] = kept.history!.filter((one) => one.kind === 'complete');
    assert.deepEqual(checkHistory({ ...kept, history: [...kept.history!, first!] }), []);
    assert.deepEqual(checkHistory(editCompletions(kept, { outcome: 'unknown' })), []);
    const world = new World(distributed);
    const job = await world.ask(await world.submit(), { on: 'cancel', reason: null });
    await world.compensated(job);
    assert.deepEqual(checkHistory(await world.record()), []);
  });
});
