import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { broken, planted } from '../../../../test/support/check/planted.ts';
import { World } from '../../../../test/support/check/world.ts';
import { document } from '../lifecycles/document.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput, Operation } from './history.ts';

async function twoJobs(more: { key?: string; correlationId?: string } = {}): Promise<HistoryInput> {
  const world = new World(document);
  await world.submit(more);
  world.clock.advance(1_000);
  await world.submit(more);
  return world.record();
}

/** The same submits, but with their answers lost. */
function unanswered(kept: HistoryInput): Operation[] {
  return kept.history!.map((one) =>
    one.kind === 'submit' ? { ...one, outcome: 'unknown', jobId: null } : one,
  );
}

describe('submissions', () => {
  planted('I1', 'an acknowledged job that is gone is found', async () => {
    const kept = await twoJobs();
    const [gone, ...jobs] = kept.jobs;
    return broken(kept, { jobs, events: kept.events.filter(({ jobId }) => jobId !== gone!.id) });
  });

  planted('I1', 'a submit without an answer that made two jobs is found', async () => {
    const kept = await twoJobs({ correlationId: 'same' });
    return broken(kept, { history: unanswered(kept).slice(0, 1) });
  });

  planted('I2', 'a job that nobody submitted is found', async () => {
    const kept = await twoJobs();
    return broken(kept, { history: kept.history!.slice(0, 1) });
  });

  planted('I2', 'a job whose submit was refused is found', async () => {
    const kept = await twoJobs();
    const history = kept.history!.map((one, index): Operation => {
      return index === 0 ? { ...one, outcome: 'fail' } : one;
    });
    return broken(kept, { history });
  });

  test('a purged job, a lost answer and a child are no violations', async () => {
    const kept = await twoJobs();
    const [gone, ...jobs] = kept.jobs;
    const purged = new Set([`${gone!.tenant}/${gone!.id}`]);
    assert.deepEqual(checkHistory({ ...kept, jobs, purged }), []);
    assert.deepEqual(checkHistory({ ...kept, history: unanswered(kept) }), []);
    const children = kept.jobs.map((job) => ({ ...job, parentJobId: gone!.id }));
    assert.deepEqual(checkHistory({ ...kept, jobs: children, history: [] }), []);
  });
});

describe('idempotency', () => {
  planted('I7', 'two jobs of one key within its window are found', async () => {
    const kept = await twoJobs({ key: 'k' });
    const jobs = kept.jobs.map((job) => ({ ...job, createdAt: kept.jobs[1]!.createdAt }));
    const events = kept.events.map((event) =>
      event.version === 1 ? { ...event, at: kept.jobs[1]!.createdAt } : event,
    );
    return broken(kept, { jobs, events });
  });

  planted('I7', 'a second job of a key whose answers were lost is found', async () => {
    const kept = await twoJobs({ key: 'k', correlationId: 'same' });
    const history = unanswered(kept).map((one): Operation => {
      const idempotency = { key: 'k', windowMs: 1_001 };
      return one.kind === 'submit' ? { ...one, idempotency } : one;
    });
    return broken(kept, { history });
  });

  test('a key is free again after its window, and two tenants do not share it', async () => {
    assert.deepEqual(checkHistory(await twoJobs({ key: 'k' })), []);
  });
});
