// The smallest program: define a job, open Pawl, enqueue, work, see the result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPawl } from './pawl.ts';
import { defineJob } from '../handler/define-job.ts';
import { trusted } from '../handler/schema.ts';
import { task } from '../lifecycles/task.ts';

const greet = defineJob({
  type: 'greet',
  lifecycle: task,
  input: trusted<{ name: string }>(),
  stages: [
    { name: 'think', min: 0, max: 50 },
    { name: 'speak', min: 50, max: 100 },
  ],
  async run({ input, stage }) {
    const words = await stage('think', () => ['Hello', input.name]);
    return stage('speak', () => words.join(', '));
  },
});

test('[P12] a job enqueued with its definition is run by a worker and has its result', async () => {
  const pawl = await openPawl({ database: ':memory:', jobs: [greet] });
  pawl.work();
  const job = await pawl.enqueue(greet, { name: 'world' });
  const { state, progress, result } = await pawl.ended(job);
  assert.deepEqual(
    { state, progress, result },
    { state: 'succeeded', progress: 100, result: '"Hello, world"' },
  );
  await pawl.close();
});
