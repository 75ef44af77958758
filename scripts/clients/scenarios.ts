// What every client must be able to do, each shown by what the server then says of the job.
import assert from 'node:assert/strict';
import type { Driver } from './driver.ts';
import { refusedWith, type Scenario, type Stage, TASK, TIMEOUT_MS } from './scenario.ts';
import { workers } from './worker-scenarios.ts';

const MANUAL = 'conformance.manual';

interface Claimed {
  readonly jobId: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly input: unknown;
  readonly checkpoint: unknown;
  readonly stages: Readonly<Record<string, unknown>>;
}

/** Enqueues a job of the type that no worker takes, and claims it. */
async function claimed({ driver }: Stage, worker = 'one', input: unknown = null): Promise<Claimed> {
  await driver.ask('register', { type: MANUAL, definition: TASK });
  await driver.ask('enqueue', { type: MANUAL, input });
  return claim(driver, worker);
}

function claim(driver: Driver, worker: string): Promise<Claimed> {
  return driver.ask('claim', { worker, types: [MANUAL], waitMs: 30_000 }) as Promise<Claimed>;
}

function heldBy({ jobId, epoch }: Claimed): { jobId: string; epoch: number } {
  return { jobId, epoch };
}

const claims: readonly Scenario[] = [
  {
    name: 'claim',
    title: 'a claim gives the job, its input and its epoch',
    run: async (stage) => {
      const held = await claimed(stage, 'one', { pages: [1, 2], title: 'Grüße' });
      assert.deepEqual([held.epoch, held.attempt], [1, 1]);
      assert.deepEqual(held.input, { pages: [1, 2], title: 'Grüße' });
      assert.deepEqual([held.checkpoint, held.stages], [null, {}]);
      assert.equal((await stage.api.job(held.jobId)).lease?.owner, 'one');
      await stage.driver.ask('complete', { ...heldBy(held), result: null });
    },
  },
  {
    name: 'heartbeat',
    title: 'a heartbeat carries progress, message, checkpoint and log lines',
    run: async (stage) => {
      const held = await claimed(stage);
      const news = { progress: 40, message: 'page 4', checkpoint: { page: 4 }, log: ['a line'] };
      const { cancel } = await stage.driver.ask('heartbeat', { ...heldBy(held), ...news });
      assert.equal(cancel, null);
      const job = await stage.api.job(held.jobId);
      assert.deepEqual([job.progress, job.message], [40, 'page 4']);
      await stage.driver.ask('release', heldBy(held));
      const again = await claim(stage.driver, 'two');
      assert.deepEqual(again.checkpoint, { page: 4 });
      await stage.driver.ask('complete', { ...heldBy(again), result: null });
    },
  },
  {
    name: 'complete',
    title: 'a completed job has its result',
    run: async (stage) => {
      const held = await claimed(stage);
      await stage.driver.ask('complete', { ...heldBy(held), result: { pages: 3 } });
      const asked = { jobId: held.jobId, timeoutMs: TIMEOUT_MS };
      assert.deepEqual(await stage.driver.ask('result', asked), { pages: 3 });
    },
  },
  {
    name: 'fail',
    title: 'a failure that is not retryable ends the job with its class and message',
    run: async (stage) => {
      const held = await claimed(stage);
      const error = { class: 'TooBig', message: 'too big', retryable: false };
      await stage.driver.ask('fail', { ...heldBy(held), error });
      const job = await stage.api.job(held.jobId);
      assert.deepEqual([job.state, job.error?.class], ['failed', 'TooBig']);
      const asked = { jobId: held.jobId, timeoutMs: TIMEOUT_MS };
      await refusedWith('JOB_FAILED', stage.driver.ask('result', asked));
    },
  },
  {
    name: 'stale-epoch',
    title: 'the owner of an earlier epoch can write nothing and is told LEASE_LOST',
    run: async (stage) => {
      const first = await claimed(stage);
      await stage.driver.ask('release', heldBy(first));
      const second = await claim(stage.driver, 'two');
      assert.deepEqual([second.jobId, second.epoch], [first.jobId, 2]);
      const stale = stage.driver.ask('complete', { ...heldBy(first), result: 'stale' });
      await refusedWith('LEASE_LOST', stale);
      await refusedWith('LEASE_LOST', stage.driver.ask('heartbeat', heldBy(first)));
      await stage.driver.ask('complete', { ...heldBy(second), result: 'fresh' });
      assert.equal(await stage.api.result(first.jobId), 'fresh');
    },
  },
  {
    name: 'cancel',
    title: 'a cancel wish comes with a heartbeat, and its owner reports that it stopped',
    run: async (stage) => {
      const held = await claimed(stage);
      await stage.driver.ask('cancel', { jobId: held.jobId, reason: 'enough' });
      const { cancel } = await stage.driver.ask('heartbeat', heldBy(held));
      assert.deepEqual(cancel, { mode: 'soft', reason: 'enough' });
      await stage.driver.ask('cancelled', heldBy(held));
      assert.equal((await stage.api.job(held.jobId)).phase, 'cancelled');
      const asked = { jobId: held.jobId, timeoutMs: TIMEOUT_MS };
      await refusedWith('JOB_CANCELLED', stage.driver.ask('result', asked));
    },
  },
  {
    name: 'snooze',
    title: 'a snoozed job comes back with its checkpoint and without an attempt spent',
    run: async (stage) => {
      const held = await claimed(stage);
      const how = { delayMs: 10, checkpoint: { at: 7 } };
      await stage.driver.ask('snooze', { ...heldBy(held), ...how });
      const again = await claim(stage.driver, 'one');
      assert.deepEqual([again.jobId, again.checkpoint], [held.jobId, { at: 7 }]);
      await stage.driver.ask('complete', { ...heldBy(again), result: null });
      assert.equal((await stage.api.job(held.jobId)).attempts, 1);
    },
  },
  {
    name: 'stages',
    title: 'a kept stage comes with the next claim',
    run: async (stage) => {
      const held = await claimed(stage);
      const kept = { name: 'render', result: { pages: 10 } };
      await stage.driver.ask('keepStage', { ...heldBy(held), ...kept });
      await stage.driver.ask('release', heldBy(held));
      const again = await claim(stage.driver, 'two');
      assert.deepEqual(again.stages, { render: { pages: 10 } });
      await stage.driver.ask('complete', { ...heldBy(again), result: null });
    },
  },
];

const requests: readonly Scenario[] = [
  {
    name: 'idempotent-enqueue',
    title: 'the same job under one key is one job; another input under it is refused',
    run: async ({ driver }) => {
      await driver.ask('register', { type: MANUAL, definition: TASK });
      const job = { type: MANUAL, input: 1, key: `key-${crypto.randomUUID()}` };
      const first = await driver.ask('enqueue', job);
      const again = await driver.ask('enqueue', job);
      assert.deepEqual([first.isNew, again], [true, { jobId: first.jobId, isNew: false }]);
      await refusedWith('IDEMPOTENCY_CONFLICT', driver.ask('enqueue', { ...job, input: 2 }));
      await driver.ask('cancel', { jobId: first.jobId });
    },
  },
  {
    name: 'lost-answer',
    title: 'a request whose answer was lost is sent again and has its effect once',
    run: async ({ driver, api, proxy }) => {
      const type = 'conformance.lost-answer';
      await driver.ask('register', { type, definition: TASK });
      proxy.fault({ kind: 'lose the answer', method: 'POST', path: '/v1/jobs' });
      const { jobId } = await driver.ask('enqueue', { type });
      const { items } = await api.jobs({ type });
      assert.deepEqual(
        items.map(({ id }) => id),
        [jobId],
      );
      await driver.ask('cancel', { jobId });
    },
  },
  {
    name: 'busy-server',
    title: 'a request that a busy server turned away is sent again after the time it named',
    run: async ({ driver, proxy }) => {
      await driver.ask('register', { type: MANUAL, definition: TASK });
      proxy.fault({ kind: 'turn away', method: 'POST', path: '/v1/jobs' });
      const { jobId, isNew } = await driver.ask('enqueue', { type: MANUAL });
      assert.equal(isNew, true);
      await driver.ask('cancel', { jobId });
    },
  },
  {
    name: 'typed-errors',
    title: 'a refusal has the code of the problem',
    run: async ({ driver }) => {
      await refusedWith('UNKNOWN_TYPE', driver.ask('enqueue', { type: 'conformance.unknown' }));
      const jobId = crypto.randomUUID();
      await refusedWith('NOT_FOUND', driver.ask('cancel', { jobId }));
      await refusedWith('VALIDATION_ERROR', driver.ask('enqueue', { type: '' }));
    },
  },
];

/** Those with a worker come last. */
export const scenarios: readonly Scenario[] = [...claims, ...requests, ...workers];
