// A platform that is told of a module of jobs runs them itself: accepted, worked on, done.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { loadJobs } from 'pawl/internal/settings/load-jobs';
import { startPlatform } from '@pawl/server/internal/app/platform';

const folder = mkdtempSync(join(tmpdir(), 'pawl-jobs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const jobs = fileURLToPath(new URL('../../examples/quick-start/jobs.ts', import.meta.url));
const silent = { warn: () => undefined };

test('[P12, D12] the quick start: a job of a module of the user runs to its end', async () => {
  const env = { PORT: '0', PAWL_DATA: folder, PAWL_JOBS: jobs };
  const platform = await startPlatform(readConfiguration(env), silent);
  assert.equal(platform.types[0], 'greet');
  const accepted = await fetch(`${platform.url}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'greet', input: { names: ['Ada', 'Grace'] } }),
  });
  assert.equal(accepted.status, 202);
  const { id } = (await accepted.json()) as { id: string };
  const ended = await fetch(`${platform.url}/v1/jobs/${id}?waitMs=20000`);
  assert.equal(((await ended.json()) as { state: string }).state, 'succeeded');
  const { result } = await platform.engine.job({ tenant: 'default', id });
  assert.equal(JSON.parse(result!), 'Hello, Ada!\nHello, Grace!\nYours, Pawl');
  await platform.stop();
});

test('a module without jobs, or that is not there, is refused by name', async () => {
  const refusal = { name: 'ConfigurationError', message: /PAWL_JOBS/ };
  await assert.rejects(loadJobs(join(folder, 'nothing.ts')), refusal);
  await assert.rejects(
    loadJobs(fileURLToPath(import.meta.url).replace('platform-worker.test', 'http-fixture')),
    {
      ...refusal,
      message: /exports no job/,
    },
  );
});

test('a job that a module exports by its name and in a list is loaded once', async () => {
  const jobs = await loadJobs(
    fileURLToPath(new URL('../../packages/studio/src/jobs.ts', import.meta.url)),
  );
  const types = jobs.map(({ type }) => type);
  assert.equal(new Set(types).size, types.length);
  assert.ok(types.includes('convert'));
});
