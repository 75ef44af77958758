import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { inRepository } from '../../scripts/run/repository.ts';
import { METRICS } from '@pawl/server/internal/metrics/registry';
import { eventually } from '../support/eventually.ts';
import { openLocked } from './auth-fixture.ts';

const JOBS = `
import { defineJob } from '${inRepository('packages/pawl/src/handler/define-job.ts')}';
import { task } from '${inRepository('packages/pawl/src/lifecycles/task.ts')}';
export const staged = defineJob('staged', {
  stages: [{ name: 'plan', min: 0, max: 50 }, { name: 'render', min: 50, max: 100 }],
  async run({ stage }) {
    await stage('plan', () => 1);
    return stage('render', () => 2);
  },
});
`;

async function started(env: NodeJS.ProcessEnv): Promise<Platform> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-metrics-'));
  const module = join(folder, 'jobs.ts');
  writeFileSync(module, JOBS);
  const settings = { PORT: '0', PAWL_DATA: folder, PAWL_JOBS: module, ...env };
  const platform = await startPlatform(readConfiguration(settings), { warn: () => undefined });
  after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return platform;
}

test('[T18, R35] a running platform tells all of it at /metrics: jobs, stages, store, HTTP, process', async () => {
  const { url } = await started({});
  const body = JSON.stringify({ type: 'staged', input: null });
  const headers = { 'content-type': 'application/json' };
  const made = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
  const { id } = (await made.json()) as { id: string };
  const ended = await fetch(`${url}/v1/jobs/${id}?waitMs=10000`);
  assert.equal(((await ended.json()) as { state: string }).state, 'succeeded');
  const answer = await fetch(`${url}/metrics`);
  assert.match(String(answer.headers.get('content-type')), /^text\/plain; version=0.0.4/);
  const text = await answer.text();
  for (const line of [
    'job_enqueue_total{job_type="staged"} 1',
    'job_start_total{job_type="staged"} 1',
    'job_duration_seconds_count{job_type="staged",outcome="succeeded"} 1',
    'job_stage_time_seconds_count{job_type="staged",stage="plan"} 1',
    'job_stage_time_seconds_count{job_type="staged",stage="render"} 1',
    'claims_total{job_type="staged"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
  assert.match(text, /pawl_store_seconds_count\{verb="insert",result="ok"\} \d/);
  assert.match(text, /pawl_store_seconds_count\{verb="renew",result="ok"\} \d/);
  assert.match(
    text,
    /pawl_http_request_seconds_count\{method="POST",route="\/v1\/jobs",status="2xx"\} 1/,
  );
  assert.match(text, /pawl_sqlite_wal_bytes [1-9]/);
  assert.match(text, /process_resident_memory_bytes \d/);
  for (const { name, type } of Object.values(METRICS)) {
    assert.ok(text.includes(`# TYPE ${name} ${type}\n`), name);
  }
  assert.doesNotMatch(text, new RegExp(id), 'no id is ever a label');
});

test('[T22] a running platform counts how its jobs end, and tells it by /v1/slo', async () => {
  const { url } = await started({});
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'staged' });
  await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
  await eventually('the end of the job is counted', async () => {
    const answer = await fetch(`${url}/v1/slo?type=staged`);
    const { items } = (await answer.json()) as {
      items: { windows: { window: string; counts: { succeeded: number } }[] }[];
    };
    const week = items[0]?.windows.find(({ window }) => window === '7d');
    return week?.counts.succeeded === 1;
  });
});

test('metrics need the scope metrics:read where credentials are asked for; a second port needs none', async () => {
  const { api, holder } = await openLocked();
  assert.equal((await api.get('/metrics')).status, 401);
  assert.equal((await (await holder({ roles: ['producer'] })).api.get('/metrics')).status, 403);
  assert.equal((await (await holder({ roles: ['viewer'] })).api.get('/metrics')).status, 200);
  const locked = await started({ PAWL_AUTH: 'on', PAWL_METRICS_PORT: '0' });
  assert.equal((await fetch(`${locked.url}/metrics`)).status, 401);
  const open = await fetch(`${locked.metricsUrl}/metrics`);
  assert.equal(open.status, 200);
  assert.match(await open.text(), /# TYPE job_in_progress gauge/);
  assert.equal((await fetch(`${locked.metricsUrl}/v1/jobs`)).status, 404);
});
