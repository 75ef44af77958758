import { describe } from 'node:test';
import { breakEvent, breakRow, planted } from '../../../../test/support/check/planted.ts';
import { succeededRun } from '../../../../test/support/check/runs.ts';

describe('progress and time', () => {
  planted('I9', 'a note whose progress is lower than the one before is found', async () =>
    breakEvent(await succeededRun(), [3, 2], { progress: 29 }),
  );

  planted('I9', 'an event that is older than the one before is found', async () => {
    const kept = await succeededRun();
    const { events } = breakEvent(kept, 4, { at: kept.jobs[0]!.createdAt }).broken;
    const { broken } = breakRow(kept, { completedAt: kept.jobs[0]!.createdAt });
    return { kept, broken: { ...broken, events } };
  });

  planted('I9', 'a note that is older than its event is found', async () =>
    breakEvent(await succeededRun(), [3, 1], { at: 1 }),
  );
});
