// The smallest program: define a job, open Pawl, enqueue, work, see the result.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { openPawl, type Pawl } from './pawl.ts';
import { defineJob } from '../handler/define-job.ts';
import { typed } from '../handler/schema.ts';

const greet = defineJob('greet', {
  input: typed<{ name: string }>(),
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

test('an observer of a running Pawl hears how a job goes, and goes on after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-observed-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, 'pawl.db');
  const heard: string[] = [];
  const openObserved = async (): Promise<Pawl> => {
    const pawl = await openPawl({ database, jobs: [greet] });
    pawl.observe({
      name: 'audit',
      everyMs: 5,
      types: [greet.type],
      onJobCreated: ({ jobType }) => void heard.push(`${jobType} created`),
      onStatusChanged: ({ from, to }) => void heard.push(`${from} > ${to}`),
      onJobCompleted: async ({ job }) => void heard.push(String((await job())?.result)),
    });
    return pawl;
  };
  const first = await openObserved();
  await first.enqueue(greet, { name: 'you' });
  await eventually('it heard of the job', () => heard.length === 1);
  await first.close();
  const second = await openObserved();
  second.work();
  await eventually('it heard of its end', () => heard.length === 4);
  await second.close();
  const ways = ['pending > running', 'running > succeeded'];
  assert.deepEqual(heard, ['greet created', ...ways, '"Hello, you"']);
});
