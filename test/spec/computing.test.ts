// A platform whose only worker computes, and what goes on in its process meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '../../src/app/configuration.ts';
import { startPlatform } from '../../src/app/platform.ts';
import { eventually } from '../support/eventually.ts';
import { jobWhen } from '../support/job-when.ts';

const jobs = fileURLToPath(new URL('../fixtures/handlers/computing.ts', import.meta.url));

test('[D17] a handler that computes delays neither the API nor its heartbeats', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-computing-'));
  const env = { PORT: '0', PAWL_DATA: join(folder, 'data'), PAWL_JOBS: jobs };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  context.after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'go');
  const accepted = await fetch(`${platform.url}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'computing', input: { file } }),
  });
  const { id } = (await accepted.json()) as { id: string };
  const ref = { tenant: 'default', id };
  const first = await jobWhen(platform.engine, ref, ({ phase }) => phase === 'executing');
  const renewed = await eventually('a renewal of its lease', async () => {
    const job = await platform.engine.job(ref);
    return job.leaseExpiry !== first.leaseExpiry && job;
  });
  assert.deepEqual([renewed.phase, renewed.epoch], ['executing', first.epoch]);
  const seen = await fetch(`${platform.url}/v1/jobs/${id}`);
  assert.equal(((await seen.json()) as { state: string }).state, 'running');
  writeFileSync(file, '');
  const { result, epoch } = await jobWhen(platform.engine, ref);
  assert.deepEqual([result, epoch], ['true', first.epoch]);
});
