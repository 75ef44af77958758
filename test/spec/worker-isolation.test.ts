// Each isolation against each misbehaviour. What an inline handler can do to its worker, and what
// holds all the same, is shown with real processes in test/chaos/inline-misbehaviour.test.ts.
import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type InnerPawl, openTimeless } from '../support/inner-pawl.ts';
import type { Job } from 'pawl/internal/core/job';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import type { Worker } from 'pawl/internal/worker/worker';
import * as handlers from '../fixtures/handlers/misbehaving.ts';
import { type Deed, signsOfLife, VERY_MUCH } from '../fixtures/handlers/misbehaving.ts';
import { onceLogged } from '../support/once-logged.ts';

type Kind = 'inline' | 'thread' | 'process';

const JOBS: Record<Kind, { calm: JobDefinition<Deed>; brief: JobDefinition<Deed> }> = {
  inline: { calm: handlers.inline, brief: handlers.inlineBriefly },
  thread: { calm: handlers.inThread, brief: handlers.inThreadBriefly },
  process: { calm: handlers.inProcess, brief: handlers.inProcessBriefly },
};

const KINDS: readonly Kind[] = ['inline', 'thread', 'process'];
const APART: readonly Kind[] = ['thread', 'process'];

/** How the attempt of such a handler ends: a state, and of what class and code its error is. */
interface End {
  readonly state: string;
  readonly class?: string;
  readonly code?: string;
}

/** An inline handler that nothing can hold: what holds all the same is shown in test/chaos. */
const TAKES_ITS_WORKER_ALONG = null;

interface Row {
  readonly deed: Deed;
  /** Its time-out is part of what is shown. */
  readonly isBrief?: boolean;
  readonly inline: End | null;
  readonly thread: End | null;
  readonly process: End;
}

const succeeded: End = { state: 'succeeded' };
const timedOut: End = { state: 'failed', class: 'timeout' };
const crashed: End = { state: 'failed', class: 'handler_crashed' };
const tooLarge: End = {
  state: 'failed',
  class: 'resource_limit_exceeded',
  code: 'OUT_OF_MEMORY',
};

function everywhere(end: End): Pick<Row, Kind> {
  return { inline: end, thread: end, process: end };
}

function apart(end: End): Pick<Row, Kind> {
  return { inline: TAKES_ITS_WORKER_ALONG, thread: end, process: end };
}

const TABLE: readonly Row[] = [
  { deed: 'behaves', ...everywhere(succeeded) },
  { deed: 'throws', ...everywhere({ state: 'failed', class: 'RangeError' }) },
  { deed: 'never resolves', isBrief: true, ...everywhere(timedOut) },
  { deed: 'computes for ever', isBrief: true, ...apart(timedOut) },
  { deed: 'exits', ...apart({ ...crashed, code: 'EXIT_3' }) },
  { deed: 'throws in a callback', ...apart({ state: 'failed', class: 'Error' }) },
  { deed: 'leaves a rejection unhandled', ...apart({ state: 'failed', class: 'Error' }) },
  { deed: 'rejects after its end', ...apart(succeeded) },
  { deed: 'eats memory', ...apart(tooLarge) },
  { deed: 'returns very much', ...everywhere(succeeded) },
  { deed: 'returns what is no JSON', ...everywhere({ state: 'failed', class: 'internal_bug' }) },
  {
    deed: 'fails with what is no JSON',
    ...everywhere({ state: 'failed', class: 'invalid_document' }),
  },
  { deed: 'talks on', ...everywhere(succeeded) },
  // In a thread it is a matter of the whole process, as machine code that breaks is.
  { deed: 'aborts', inline: null, thread: null, process: { ...crashed, code: 'SIGABRT' } },
];

let pawl: InnerPawl;
let worker: Worker;
before(async () => {
  const jobs = Object.values(JOBS).flatMap(({ calm, brief }) => [calm, brief]);
  jobs.push(handlers.poison as JobDefinition<Deed>);
  pawl = await openTimeless(jobs);
  worker = pawl.work({ reportMs: 20 });
});
after(() => pawl.close());

async function assertWorks(kind: Kind): Promise<void> {
  const { state } = await pawl.ended(await pawl.enqueue(JOBS[kind].calm, 'behaves'));
  assert.equal(state, 'succeeded', 'the worker goes on as if nothing had been');
}

for (const { deed, isBrief = false, ...ends } of TABLE) {
  for (const kind of KINDS) {
    const expected = ends[kind];
    if (expected === null) continue;
    test(`[D17] in ${kind}, a handler that ${deed} harms its own attempt only`, async () => {
      const job = await pawl.enqueue(JOBS[kind][isBrief ? 'brief' : 'calm'], deed);
      const { state, error } = await pawl.ended(job);
      rmSync(signsOfLife(job.id), { force: true });
      const seen = { state, class: error?.class, code: expected.code && error?.code };
      assert.deepEqual(seen, { class: undefined, code: undefined, ...expected });
      // A thread that something late could still break must not be given to these.
      for (let next = 0; next < 3; next++) await assertWorks(kind);
    });
  }
}

test('a very large result is kept by reference, and comes back whole', async () => {
  const job = await pawl.ended(await pawl.enqueue(handlers.inThread, 'returns very much'));
  assert.match(job.result!, /^\{"\$artifact":/);
  assert.equal(await pawl.result(job), 'x'.repeat(VERY_MUCH));
});

test('an error that the thread of a handler left behind reaches no other job', async () => {
  const late = Array.from({ length: 4 }, () =>
    pawl.enqueue(handlers.inThread, 'rejects after its end'),
  );
  for (const job of await Promise.all(late)) await pawl.ended(job);
  const next = Array.from({ length: 8 }, () => pawl.enqueue(handlers.inThread, 'behaves'));
  for (const job of await Promise.all(next)) {
    const { state, attempts } = await pawl.ended(job);
    assert.deepEqual([state, attempts], ['succeeded', 1]);
  }
});

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
      await computes(job);
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
  await computes(job);
  assert.notEqual((await pawl.cancel(job, 'soft')).cancel, null);
  assert.equal((await pawl.ended(job)).state, 'canceled');
});

for (const kind of KINDS) {
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

async function computes(job: Job): Promise<void> {
  const told = { tenant: job.tenant, what: 'the handler computes' };
  await onceLogged(pawl.engine, told, () => hasLogged(job));
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
