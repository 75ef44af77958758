// Each isolation against each misbehaviour. What an inline handler can do to its worker is shown
// with real processes in test/chaos.
import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { openPawl, type Pawl } from '../../src/app/pawl.ts';
import type { Job } from '../../src/core/job.ts';
import type { JobDefinition } from '../../src/handler/define-job.ts';
import type { Worker } from '../../src/worker/worker.ts';
import * as handlers from '../fixtures/handlers/misbehaving.ts';
import { type Deed, signsOfLife } from '../fixtures/handlers/misbehaving.ts';
import { eventually } from '../support/eventually.ts';

type Kind = 'inline' | 'thread' | 'process';

const JOBS: Record<Kind, { calm: JobDefinition<Deed>; brief: JobDefinition<Deed> }> = {
  inline: { calm: handlers.inline, brief: handlers.inlineBriefly },
  thread: { calm: handlers.inThread, brief: handlers.inThreadBriefly },
  process: { calm: handlers.inProcess, brief: handlers.inProcessBriefly },
};

interface Row {
  readonly deed: Deed;
  readonly isBrief?: boolean;
  readonly state: string;
  readonly class: string | null;
  readonly code?: string;
  readonly kinds: readonly Kind[];
}

const ALL: readonly Kind[] = ['inline', 'thread', 'process'];
const APART: readonly Kind[] = ['thread', 'process'];

const TABLE: readonly Row[] = [
  { deed: 'behaves', state: 'succeeded', class: null, kinds: ALL },
  { deed: 'throws', state: 'failed', class: 'RangeError', kinds: ALL },
  { deed: 'never resolves', isBrief: true, state: 'failed', class: 'timeout', kinds: ALL },
  { deed: 'rejects later', state: 'failed', class: 'handler_crashed', kinds: APART },
  { deed: 'crashes', state: 'failed', class: 'handler_crashed', kinds: APART },
  { deed: 'exits', state: 'failed', class: 'handler_crashed', code: 'EXIT_3', kinds: APART },
  {
    deed: 'aborts',
    state: 'failed',
    class: 'handler_crashed',
    code: 'SIGABRT',
    kinds: ['process'],
  },
  {
    deed: 'eats memory',
    state: 'failed',
    class: 'resource_limit_exceeded',
    code: 'OUT_OF_MEMORY',
    kinds: APART,
  },
];

let pawl: Pawl;
let worker: Worker;
before(async () => {
  const jobs = Object.values(JOBS).flatMap(({ calm, brief }) => [calm, brief]);
  jobs.push(handlers.poison as JobDefinition<Deed>);
  pawl = await openPawl({ database: ':memory:', jobs });
  worker = pawl.work({ reportMs: 20 });
});
after(() => pawl.close());

async function assertWorks(kind: Kind): Promise<void> {
  const { state } = await pawl.ended(await pawl.enqueue(JOBS[kind].calm, 'behaves'));
  assert.equal(state, 'succeeded', 'the worker goes on as if nothing had been');
}

for (const { deed, isBrief = false, kinds, ...expected } of TABLE) {
  for (const kind of kinds) {
    test(`[D17] in ${kind}, a handler that ${deed} harms its own attempt only`, async () => {
      const job = await pawl.enqueue(JOBS[kind][isBrief ? 'brief' : 'calm'], deed);
      const { state, error } = await pawl.ended(job);
      assert.deepEqual(
        { state, class: error?.class ?? null },
        { state: expected.state, class: expected.class },
      );
      if (expected.code !== undefined) assert.equal(error?.code, expected.code);
      await assertWorks(kind);
    });
  }
}

test('[R12, T20] a job that always breaks its thread ends as a dead letter', async () => {
  const { id, tenant, state, attempts, error } = await pawl.ended(
    await pawl.enqueue(handlers.poison, null),
  );
  assert.deepEqual([state, attempts, error?.class], ['failed', 2, 'handler_crashed']);
  const letters = await pawl.engine.deadLetters({ tenant, limit: 10 });
  const letter = letters.find(({ jobId }) => jobId === id);
  assert.equal(letter?.reasonCode, 'exhausted_retries');
});

/** The thread or process is gone when it gives no more signs of life while another job runs. */
async function assertGone(job: Job, kind: Kind): Promise<void> {
  const path = signsOfLife(job.id);
  const seen = statSync(path).size;
  await assertWorks(kind);
  await assertWorks(kind);
  assert.equal(statSync(path).size, seen, 'the computation goes on');
  rmSync(path);
}

describe('a computation', () => {
  for (const kind of APART) {
    test(`[R14] in ${kind}, a hard cancel ends it in the middle`, async () => {
      const job = await pawl.enqueue(JOBS[kind].calm, 'computes for ever');
      await eventually('the handler computes', () => hasLogged(job));
      const cancelled = await pawl.cancel(job, 'hard');
      assert.equal(cancelled.state, 'canceled');
      await worker.idle();
      await assertGone(job, kind);
    });

    test(`in ${kind}, a time-out ends it in the middle`, async () => {
      const job = await pawl.enqueue(JOBS[kind].brief, 'computes for ever');
      assert.equal((await pawl.ended(job)).error?.class, 'timeout');
      await assertGone(job, kind);
    });
  }
});

test('[R13] in thread, a soft cancel reaches a computation that reports its progress', async () => {
  const job = await pawl.enqueue(handlers.inThread, 'computes until told');
  await eventually('the handler computes', () => hasLogged(job));
  assert.notEqual((await pawl.cancel(job, 'soft')).cancel, null);
  assert.equal((await pawl.ended(job)).state, 'canceled');
});

for (const kind of ALL) {
  test(`in ${kind}, what a handler says after its end counts for no job`, async () => {
    const jobs: Job[] = [];
    for (const deed of ['talks on', 'behaves', 'behaves'] as const) {
      jobs.push(await pawl.ended(await pawl.enqueue(JOBS[kind].calm, deed)));
    }
    for (const job of jobs) {
      assert.equal(job.state, 'succeeded');
      assert.notEqual(job.checkpoint, '"kept after the end"');
      assert.equal(await hasLogged(job, 'said after the end'), false);
    }
  });
}

async function hasLogged(job: Job, line = 'computing'): Promise<boolean> {
  const { events } = await pawl.engine.events({
    tenant: job.tenant,
    id: job.id,
    after: null,
    limit: 100,
    notes: true,
  });
  return events.some(({ message }) => message === line);
}
