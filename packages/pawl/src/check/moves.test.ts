import { describe } from 'node:test';
import { breakEvent, breakRow, planted } from '../../../../test/support/check/planted.ts';
import { failedRun, succeededRun } from '../../../../test/support/check/runs.ts';
import { World } from '../../../../test/support/check/world.ts';
import { document } from '../lifecycles/document.ts';

describe('listed moves', () => {
  planted('L1', 'a move that the lifecycle does not list is found', async () => {
    const world = new World(document);
    await world.submit();
    const kept = await world.record();
    const edit = { to: 'RETRYING', phase: 'waiting', type: 'job_retry_scheduled' } as const;
    const { events } = breakEvent(kept, 2, edit).broken;
    const { broken } = breakRow(kept, { state: 'RETRYING', phase: 'waiting' });
    return { kept, broken: { ...broken, events } };
  });

  planted('L1', 'an event whose type is not that of its move is found', async () =>
    breakEvent(await succeededRun(), 2, { type: 'job_requeued' }),
  );

  planted('L1', 'an event that names another source than where the job stood is found', async () =>
    breakEvent(await failedRun(), 4, { from: 'QUEUED' }),
  );

  planted('L1', 'an annotation that moves the job is found', async () => {
    const world = new World(document);
    await world.submit();
    await world.wishCancel((await world.claim('w1'))!);
    const kept = await world.record();
    const { events } = breakEvent(kept, 4, { to: 'RETRYING', phase: 'waiting' }).broken;
    const nobody = { owner: null, leaseExpiry: null };
    const { broken } = breakRow(kept, { state: 'RETRYING', phase: 'waiting', ...nobody });
    return { kept, broken: { ...broken, events } };
  });
});

describe('birth', () => {
  planted('L2', 'a log that begins with another event than job_created is found', async () =>
    breakEvent(await succeededRun(), 1, { type: 'job_queued' }),
  );

  planted('L2', 'a job that came from somewhere is found', async () =>
    breakEvent(await succeededRun(), 1, { from: 'QUEUED' }),
  );

  planted('L2', 'a job that was born elsewhere than in the initial place is found', async () => {
    const world = new World(document);
    await world.submit({ submit: false });
    const kept = await world.record();
    const { events } = breakEvent(kept, 1, { to: 'QUEUED', phase: 'ready' }).broken;
    const { broken } = breakRow(kept, { state: 'QUEUED', phase: 'ready' });
    return { kept, broken: { ...broken, events } };
  });
});
