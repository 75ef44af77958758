// The gateway as a source of processes, on a platform with real workers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openMemoryArtifacts } from 'pawl/internal/artifact/memory';
import type { Job } from 'pawl/internal/core/job';
import { systemClock } from 'pawl/internal/core/clock';
import { readConfiguration } from '../src/gateway/configuration.ts';
import { openGateway } from '../src/gateway/gateway.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { begin } from '../src/model/body-bytes.ts';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { jobWhen } from '../../../test/support/job-when.ts';
import { CALLER, type Instance, openInstance } from './provider/instance.ts';
import {
  openSimulator,
  type ProviderSimulator,
  type SimulatorOptions,
} from './provider/simulator.ts';

async function open(
  t: TestContext,
  simulated: SimulatorOptions = {},
  settings: object = {},
): Promise<Instance & { simulator: ProviderSimulator }> {
  const simulator = await openSimulator(simulated);
  const instance = await openInstance({
    providers: { sim: { url: simulator.url, poll_interval: 0.05, ...settings } },
  });
  t.after(async () => {
    await instance.close();
    await simulator.close();
  });
  return { ...instance, simulator };
}

test('[O2, O22] a process is listed, described, executed, told of, and its results are served', async (t) => {
  const { gateway, pawl, execute } = await open(t, { processes: ['gs:Buffer'] });
  // A list waits for a provider for a moment only.
  const [summary] = await eventually('it is listed', async () => {
    const list = await gateway.list(CALLER);
    return list.length > 0 && list;
  });
  assert.equal(summary!.id, 'sim:gs:Buffer');
  assert.equal((await gateway.describe(CALLER, 'sim:gs:Buffer'))?.id, 'sim:gs:Buffer');
  assert.equal(await gateway.prepare(CALLER, 'sim:none', {}), null, 'the process is looked for');
  assert.equal(await gateway.prepare(CALLER, 'other:gs:Buffer', {}), null);
  const job = await execute('sim:gs:Buffer', { inputs: {} });
  assert.match(job.id, /^[0-9a-f-]{36}$/);
  const done = await pawl.ended(job);
  assert.ok(await gateway.owns(done.type, done.tenant));
  const { status, processID, progress, links } = gateway.status(done, 'https://here.example');
  assert.deepEqual([status, processID, progress], ['successful', 'sim:gs:Buffer', 100]);
  assert.ok(links!.some(({ href }) => href === `https://here.example/jobs/${job.id}/results`));
  const results = await gateway.results(CALLER, done, '');
  assert.ok(results.kind === 'answer');
  assert.match(String((await begin(results.body, Infinity)).start), /^\{"answer":"of r1-/);
});

test('[O18] inputs beyond the limit are kept outside the row, and reach the provider whole', async (t) => {
  const { pawl, execute, simulator } = await open(t, {}, { inline_inputs_size_limit: 1_000 });
  const small = await execute('sim:echo', { inputs: { text: 'x'.repeat(100) } });
  const large = await execute('sim:echo', { inputs: { text: 'x'.repeat(100_000) } });
  assert.ok(!small.input.includes('$artifact'));
  assert.match(large.input, /^\{"\$artifact":"[0-9a-f-]{36}"\}$/);
  assert.equal((await pawl.ended(large)).state, 'successful');
  await pawl.ended(small);
  const bodies = simulator.seen.flatMap(({ method, body }) => (method === 'POST' ? [body] : []));
  const isLarge = bodies.map(({ length }) => length > 100_000);
  assert.deepEqual(new Set(isLarge), new Set([false, true]));
});

test('[O19] a gateway works with another client, retry, clock and observers than its own', async (t) => {
  const simulator = await openSimulator({ statuses: ['successful'] });
  const told: string[] = [];
  const tell = (what: string): void => void told.push(what);
  const now = Date.parse('2031-05-06T07:08:09Z');
  const instance = await openInstance({
    providers: { sim: { url: simulator.url, poll_interval: 0.05 } },
    client: (own) => ({
      fetch: (url, request) => {
        if (request?.method === 'POST') tell('client');
        return own.fetch(url, request);
      },
    }),
    parts: {
      clock: { now: () => now },
      retry: () => ({
        execute: (work) => {
          tell('retry');
          return work.attempt(1);
        },
      }),
      observers: [{ name: 'ear', onJobCompleted: (_, { updated }) => tell(`ended ${updated}`) }],
    },
  });
  t.after(async () => {
    await instance.close();
    await simulator.close();
  });
  await instance.pawl.ended(await instance.execute('sim:echo', {}));
  assert.deepEqual(told, ['retry', 'client', 'ended 2031-05-06T07:08:09.000Z']);
});

const isRunning = ({ state }: Job): boolean => state === 'running';

test('who has no name sees only what is for everybody', async (t) => {
  const simulator = await openSimulator();
  const { url } = simulator;
  const instance = await openInstance({
    providers: { open: { url, anonymous_access: true }, shut: { url } },
  });
  t.after(async () => {
    await instance.close();
    await simulator.close();
  });
  const nobody = { ...CALLER, principal: null, reach: 'guest' as const };
  const ids = (await instance.gateway.list(nobody)).map(({ id }) => id);
  assert.deepEqual(ids, ['open:echo']);
  assert.equal(await instance.gateway.prepare(nobody, 'shut:echo', {}), null);
});

test('[O16] results that were not there at the end are asked for when they are wanted', async (t) => {
  const { pawl, gateway, execute, simulator } = await open(
    t,
    { statuses: ['successful'] },
    { forward_max_retries: 1 },
  );
  simulator.on('POST /processes/echo/execution', () => {
    const reply = simulator.create('echo');
    const [id] = simulator.jobs.keys();
    simulator.on(`GET /jobs/${id}/results`, { status: 503 }, { status: 200, body: { late: true } });
    return reply;
  });
  const job = await execute('sim:echo', {});
  const done = await pawl.ended(job);
  assert.equal(done.state, 'successful');
  const results = await gateway.results(CALLER, done, '');
  assert.ok(results.kind === 'answer');
  assert.equal(String((await begin(results.body, Infinity)).start), '{"late":true}');
});

test('[O23] shutting down ends all polls; what is stored is polled on by the next one', async (t) => {
  const simulator = await openSimulator({ statuses: ['running'] });
  const providers = { sim: { url: simulator.url, poll_interval: 0.05 } };
  const artifacts = openMemoryArtifacts(systemClock);
  const first = await openInstance({ providers, artifacts });
  t.after(() => simulator.close());
  const job = await first.execute('sim:echo', {});
  await jobWhen(first.pawl.engine, job, isRunning);
  await first.gateway.stop();
  const polls = simulator.count('GET /jobs/');
  simulator.statuses = ['successful'];
  const http = createOutgoing({ allow: ['127.0.0.1'] });
  const configuration = readConfiguration(JSON.stringify({ providers }), {});
  assert.equal((await first.pawl.engine.job(job)).phase, 'waiting');
  const second = openGateway({
    engine: first.pawl.engine,
    artifacts: first.pawl.artifacts!,
    http,
    configuration: () => configuration,
    log: { warn: () => undefined },
  });
  assert.equal(simulator.count('GET /jobs/'), polls, 'nobody polled meanwhile');
  await second.start({ isWorking: true, isSweeping: false });
  assert.equal((await first.pawl.ended(job)).state, 'successful');
  assert.equal(simulator.count('POST /'), 1);
  await second.stop();
  await http.close();
  await first.close();
});
