// What the worker of a client must be able to do, with handlers that clients/README.md describes.
import assert from 'node:assert/strict';
import type { ApiClient } from 'pawl/client';
import { LEASE, refusedWith, type Scenario, type Stage, TASK, TIMEOUT_MS } from './scenario.ts';

/** The types whose handlers a driver has. */
const HANDLED = [
  'echo',
  'fail',
  'retry',
  'stages',
  'checkpoint',
  'wait',
  'snooze',
  'flow',
  'failing-child',
].map((name) => `conformance.${name}`);

/** Runs a job by the worker of the client, and gives its result. */
async function worked({ driver }: Stage, name: string, input: unknown = null): Promise<unknown> {
  const { jobId } = await driver.ask('enqueue', { type: `conformance.${name}`, input });
  return driver.ask('result', { jobId, timeoutMs: TIMEOUT_MS });
}

/** Waits until the lease of a job has been renewed beyond its first end. */
async function renewedTwice(api: ApiClient, jobId: string): Promise<void> {
  let first: string | undefined;
  for await (const item of api.events(jobId)) {
    if (item.kind !== 'event') continue;
    const { lease } = await api.job(jobId);
    first ??= lease?.expiresAt;
    if (item.event.type === 'job_log') break;
  }
  for (;;) {
    const { lease, epoch } = await api.job(jobId);
    assert.equal(epoch, 1, 'the lease was lost');
    const gainedMs = Date.parse(lease!.expiresAt) - Date.parse(first!);
    if (gainedMs > 2 * LEASE.heartbeatMs) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The worker is started once, and stopped at the end. */
export const workers: readonly Scenario[] = [
  {
    name: 'worker-start',
    title: 'a worker with handlers for every type of the scenarios starts',
    run: async ({ driver }) => {
      const types = Object.fromEntries(HANDLED.map((type) => [type, TASK]));
      await driver.ask('work', { types });
    },
  },
  {
    name: 'worker',
    title: 'a worker registers its types, runs handlers and reports results',
    run: async (stage) => {
      assert.deepEqual(await worked(stage, 'echo', { said: 'hello' }), { said: 'hello' });
      assert.deepEqual(await worked(stage, 'retry'), { attempt: 2 });
    },
  },
  {
    name: 'worker-fail',
    title: "a handler's permanent error ends the job with its class",
    run: async ({ driver, api }) => {
      const job = { type: 'conformance.fail', input: { message: 'too big' } };
      const { jobId } = await driver.ask('enqueue', job);
      await refusedWith('JOB_FAILED', driver.ask('result', { jobId, timeoutMs: TIMEOUT_MS }));
      const { error, attempts } = await api.job(jobId);
      assert.deepEqual([error?.class, error?.message, attempts], ['TooBig', 'too big', 1]);
    },
  },
  {
    name: 'worker-stages',
    title: 'a later attempt skips the stage that was kept',
    run: async (stage) => {
      const expected = { count: 1, runs: 1, attempt: 2 };
      assert.deepEqual(await worked(stage, 'stages'), expected);
    },
  },
  {
    name: 'worker-checkpoint',
    title: 'a later attempt goes on from the last checkpoint',
    run: async (stage) => {
      assert.deepEqual(await worked(stage, 'checkpoint'), { from: 2, attempt: 2 });
    },
  },
  {
    name: 'worker-snooze',
    title: 'a handler that snoozes is run again with its checkpoint, in the same attempt',
    run: async (stage) => {
      assert.deepEqual(await worked(stage, 'snooze'), { attempt: 1, slept: true });
    },
  },
  {
    name: 'worker-heartbeat',
    title: 'heartbeats in the background keep a job, and bring the cancel wish to its handler',
    run: async ({ driver, api }) => {
      const { jobId } = await driver.ask('enqueue', { type: 'conformance.wait' });
      await renewedTwice(api, jobId);
      await driver.ask('cancel', { jobId, reason: 'enough' });
      await refusedWith('JOB_CANCELLED', driver.ask('result', { jobId, timeoutMs: TIMEOUT_MS }));
      const { attempts, progress, message } = await api.job(jobId);
      assert.deepEqual([attempts, progress, message], [1, 10, 'waiting']);
    },
  },
  {
    name: 'worker-flow',
    title: 'a flow waits for jobs, time and a message, in one attempt',
    run: async ({ driver, api }) => {
      const { jobId } = await driver.ask('enqueue', { type: 'conformance.flow' });
      await driver.ask('send', { jobId, name: 'approve', payload: { by: 'Ada' } });
      const result = await driver.ask('result', { jobId, timeoutMs: TIMEOUT_MS });
      const approved = { which: 'said', approved: { by: 'Ada' } };
      assert.deepEqual(result, { parts: [1, 2], ...approved, side: 3, last: 4 });
      assert.equal((await api.job(jobId)).attempts, 1);
    },
  },
  {
    name: 'worker-failing-child',
    title: 'a failed child is an error that the handler can catch',
    run: async (stage) => {
      assert.deepEqual(await worked(stage, 'failing-child'), { failed: 1, class: 'TooBig' });
    },
  },
  {
    name: 'worker-stop',
    title: 'a worker that is stopped leaves no job behind',
    run: async ({ driver, api }) => {
      await driver.ask('stop');
      const { items } = await api.jobs({ phase: 'executing' });
      assert.deepEqual(items, []);
    },
  },
];
