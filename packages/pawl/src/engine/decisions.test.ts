import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from '../../../../test/support/world.ts';
import type { Job } from '../core/job.ts';
import { Decisions } from './decisions.ts';

const TYPES = { mail: { lifecycle: 'task' }, doc: { lifecycle: 'document' } };

/** What of a job its success depends on. */
const CHANGES: readonly Partial<Job>[] = [
  { epoch: 2 },
  { attempts: 2 },
  { retryCount: 1 },
  { phase: 'waiting' },
];

test('a success is decided as if it were the only one of its call', async () => {
  const world = await openWorld({ types: TYPES });
  const { context } = world;
  const claimed: Job[] = [];
  for (const type of Object.keys(TYPES)) {
    await world.enqueue(type);
    const [claim] = await world.engine.claim({ owner: 'w1', types: [type], max: 1 });
    claimed.push(claim!.job);
  }
  const [mail, doc] = claimed as [Job, Job];
  const jobs = [mail, ...CHANGES.flatMap((change) => [{ ...mail, ...change }, mail]), doc, mail];
  const together = new Decisions(context);
  for (const job of jobs) {
    const alone = new Decisions(context).of(job, { on: 'succeed' });
    assert.deepEqual(together.of(job, { on: 'succeed' }), alone);
  }
  const released = together.of(mail, { on: 'release' });
  assert.notDeepEqual(released, together.of(mail, { on: 'succeed' }));
  await world.close();
});
