import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from 'pawl/testing';
import { cleanUp, jobs, welcome } from '../src/jobs.ts';
import { writeSchedules } from '../src/schedules.ts';

test('a new user is welcomed', async () => {
  await using world = await openWorld({ jobs });
  const job = await world.enqueue(welcome, { email: 'ada@example.com' });
  assert.deepEqual(await job.result(), { sentTo: 'ada@example.com' });
});

test('an input that is not an address is refused when the job is enqueued', async () => {
  await using world = await openWorld({ jobs });
  await assert.rejects(world.enqueue(welcome, { email: 'nobody' }), { code: 'VALIDATION_ERROR' });
});

test('a crash of the worker costs an attempt, and not the job', async () => {
  await using world = await openWorld({ jobs });
  const job = await world.enqueue(welcome, { email: 'ada@example.com' });
  await world.begin();
  await world.crashWorker();
  assert.equal((await job.ended()).state, 'succeeded');
});

test('the schedule creates a job every night', async () => {
  await using world = await openWorld({ jobs });
  await writeSchedules(world);
  await world.clock.advance('2d'); // no real time passes
  await world.runUntilIdle();
  const { items } = await world.jobs({ type: cleanUp.type });
  assert.equal(items.length, 2);
});
