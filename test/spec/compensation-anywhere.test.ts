// A job is undone wherever it ran: the platform knows from the type how, whoever runs it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { ApiClient } from 'pawl/client';
import { Compensator } from 'pawl/internal/engine/follow/compensator';
import { ManualTimers } from 'pawl/internal/testing/manual-timers';
import { onceLogged } from '../support/once-logged.ts';
import { type Api, openApi } from './http-fixture.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';

async function openBooking(): Promise<{ api: Api; undo: () => Promise<number> }> {
  const api = await openApi();
  after(() => api.close());
  await api.put('/v1/types/booking.undo', { lifecycle: 'task' });
  await api.put('/v1/types/booking', { lifecycle: 'task', compensation: 'booking.undo' });
  const compensator = compensatorOf(api);
  return { api, undo: () => compensator.runOnce() };
}

function compensatorOf({ world }: Api): Compensator {
  return new Compensator(world.context, { timers: new ManualTimers(world.clock) });
}

async function take(api: Api, type: string) {
  const { body } = await api.post('/v1/claims', { workerId: 'python', types: [type], max: 1 });
  const [claim] = body.jobs;
  if (claim === undefined) return null;
  return {
    url: `/v1/jobs/${claim.job.id}`,
    by: { workerId: 'python', epoch: claim.epoch },
    claim,
  };
}

/** A job that kept something and then failed for good. */
async function failed(api: Api): Promise<string> {
  const { body: job } = await api.post('/v1/jobs', { type: 'booking', input: { fixture: 7 } });
  const { url, by } = (await take(api, 'booking'))!;
  await api.post(`${url}/stages/reserve`, { ...by, result: { number: 42 } });
  await api.post(`${url}/heartbeat`, { ...by, checkpoint: 'reserved' });
  const error = { class: 'validation_error', message: 'the card was refused' };
  const { body } = await api.post(`${url}/fail`, { ...by, error });
  assert.equal(body.state, 'failed');
  return job.id;
}

async function eventsOf(api: Api, id: string): Promise<string[]> {
  const { body } = await api.get(`/v1/jobs/${id}/events`);
  return body.items.map(({ type }: { type: string }) => type);
}

describe('a worker in any language', () => {
  test('[R33] undoes a job of its type: it claims the type that the registered one names', async () => {
    const { api, undo } = await openBooking();
    const id = await failed(api);
    assert.equal(await undo(), 1);
    const { url, by, claim } = (await take(api, 'booking.undo'))!;
    assert.deepEqual([claim.job.parentJobId, claim.job.correlationId], [id, id]);
    const { end, ...input } = claim.input;
    assert.deepEqual(input, {
      jobId: id,
      input: { fixture: 7 },
      kept: { reserve: { number: 42 } },
      checkpoint: 'reserved',
    });
    assert.deepEqual([end.state, end.error.class], ['failed', 'validation_error']);
    await api.post(`${url}/complete`, by);
    assert.equal(await undo(), 1);
    assert.equal((await eventsOf(api, id)).at(-1), 'job_compensated');
    assert.equal(await take(api, 'booking.undo'), null);
  });

  test('[R33, R15] that cannot undo it leaves a dead letter of the job', async () => {
    const { api, undo } = await openBooking();
    const id = await failed(api);
    await undo();
    const { url, by } = (await take(api, 'booking.undo'))!;
    const error = { class: 'validation_error', message: 'the hotel is closed' };
    await api.post(`${url}/fail`, { ...by, error });
    await undo();
    const { body } = await api.get('/v1/dlq?reasonCode=compensation_failed');
    assert.deepEqual([body.items[0].jobId, body.items.length], [id, 1]);
  });

  test('[R33] finds one compensation, whichever processes follow the log and die', async () => {
    const { api } = await openBooking();
    const id = await failed(api);
    const { context } = api.world;
    const dying = compensatorOf(api);
    const died = new Error('killed');
    const insert = context.store.insert.bind(context.store);
    context.store.insert = async (jobs) => {
      await insert(jobs);
      throw died;
    };
    await dying.runOnce();
    context.store.insert = insert;
    api.world.advance(3_600_000);
    for (let process = 0; process < 3; process++) {
      await compensatorOf(api).runOnce();
      api.world.advance(60_000);
    }
    const { url, by } = (await take(api, 'booking.undo'))!;
    assert.equal(await take(api, 'booking.undo'), null);
    await api.post(`${url}/complete`, by);
    for (let process = 0; process < 3; process++) {
      await compensatorOf(api).runOnce();
      api.world.advance(60_000);
    }
    const reports = (await eventsOf(api, id)).filter((type) => type === 'job_compensated');
    assert.equal(reports.length, 1);
  });

  test('[R33, T34] finds it also where its queue takes no more jobs', async () => {
    const { api, undo } = await openBooking();
    await failed(api);
    await api.call('PATCH', '/v1/queues/default', { body: { highWatermark: 1 } });
    await api.post('/v1/jobs', { type: 'export' });
    assert.equal((await api.post('/v1/jobs', { type: 'export' })).status, 503);
    assert.equal(await undo(), 1);
    assert.notEqual(await take(api, 'booking.undo'), null);
  });

  test('[R33] names a type that is registered, or hears that it is not', async () => {
    const api = await openApi();
    after(() => api.close());
    const body = { lifecycle: 'task', compensation: 'nobody' };
    const refused = await api.put('/v1/types/booking', body);
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/compensation']);
    const { body: made } = await api.put('/v1/types/booking', {
      lifecycle: 'task',
      compensation: 'export',
    });
    assert.equal(made.compensation, 'export');
  });
});

test('[R33] a job of `pawl worker` is undone by it, though the platform has none of its code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-undo-'));
  const env = { PORT: '0', PAWL_DATA: join(folder, 'data') };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  const program = fileURLToPath(new URL('../../packages/pawl/src/cli/main.ts', import.meta.url));
  const jobs = fileURLToPath(new URL('../fixtures/handlers/booking.ts', import.meta.url));
  const callLog = join(folder, 'diary');
  const worker = spawn(process.execPath, [program, 'worker', '--jobs', jobs], {
    env: { ...childEnvironment, PAWL_URL: platform.url, DIARY: callLog },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  try {
    await once(createInterface({ input: worker.stderr }), 'line');
    const client = new ApiClient({ url: platform.url });
    const { id } = await client.enqueue({ type: 'booking', input: { fixture: 7 } });
    const compensated = { tenant: 'default', what: 'the job is compensated' };
    await onceLogged(platform.engine, compensated, async () => {
      const { events } = await platform.engine.events({
        tenant: 'default',
        id,
        after: null,
        limit: 100,
        notes: false,
      });
      return events.at(-1)!.type === 'job_compensated';
    });
    assert.equal(readFileSync(callLog, 'utf8'), 'booked 7\ngave back 7\n');
  } finally {
    worker.kill('SIGKILL');
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
