import { describe } from 'node:test';
import { breakEvent, breakRow, broken, planted } from '../../../../test/support/check/planted.ts';
import { lostRun, succeededRun } from '../../../../test/support/check/runs.ts';

describe('the stored row', () => {
  planted('S1', 'an owned row without a lease is found', async () =>
    breakRow(await lostRun(), { leaseExpiry: null }),
  );

  planted('S1', 'an owned row without an owner is found', async () =>
    breakRow(await lostRun(), { owner: null }),
  );

  planted('S1', 'an ended row that still has an owner is found', async () =>
    breakRow(await succeededRun(), { owner: 'w1', leaseExpiry: 1 }),
  );

  planted('S2', 'an ended row with a cancel wish is found', async () =>
    breakRow(await succeededRun(), { cancel: { mode: 'hard', reason: null } }),
  );

  planted('S3', 'a success without progress 100 is found', async () => {
    const kept = await succeededRun();
    const { events } = breakEvent(kept, 4, { progress: 99 }).broken;
    return broken(kept, { events, jobs: kept.jobs.map((job) => ({ ...job, progress: 99 })) });
  });
});
