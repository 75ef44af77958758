// A worker that reaches its server over HTTP handles many jobs in one call, as any other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declareJob, PermanentError, typed } from 'pawl';
import { ApiClient, RemoteArtifacts, RemoteSource } from 'pawl/client';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { freshFile } from '../support/databases.ts';
import { serve } from '../support/served-pawl.ts';

test('jobs of a remote worker are handled together, each with its own end', async () => {
  const sizes: number[] = [];
  const half = declareJob('half', { input: typed<number>() }).runMany(
    { max: 3, wait: '10s' },
    (jobs) => {
      sizes.push(jobs.length);
      return jobs.map((job) =>
        job.input % 2 === 1 ? job.fail(new PermanentError('odd')) : job.input / 2,
      );
    },
  );
  const served = await serve(freshFile().database, [half], { isWorking: false });
  const jobs = await served.client.enqueueMany(half, [2, 3, 4]);
  const { connection } = new ApiClient({ url: served.url });
  const artifacts = new RemoteArtifacts({ connection });
  const source = new RemoteSource({ connection });
  const worker = openWorker({ source, artifacts, jobs: [half] });
  worker.start();
  const ends = await Promise.all(jobs.map((job) => job.ended()));
  assert.deepEqual(
    ends.map(({ result, error }) => error?.message ?? result),
    [1, 'odd', 2],
  );
  assert.deepEqual(sizes, [3]);
  await worker.drain();
  await served.close();
});
