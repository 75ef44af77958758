// A job in a program's hand, on every database: what came of it, how it stands, what can be asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  declareJob,
  defineJob,
  isJobCancelled,
  isJobFailed,
  JobCancelled,
  JobFailed,
  JobGone,
  openPawl,
  type Pawl,
  PermanentError,
  typed,
  WaitTimeout,
} from 'pawl';
import { freshDatabases } from '../support/databases.ts';

const NOBODY = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';

const double = defineJob('double', {
  input: typed<{ n: number; at: Date }>(),
  run: ({ input, log }) => {
    log(`doubling ${input.n}`);
    return { twice: input.n * 2, at: new Date(input.at) };
  },
});
const broken = defineJob('broken', {
  dlq: 'failed',
  run: () => {
    throw new PermanentError('it broke', { code: 'BROKEN', details: { part: 7 } });
  },
});
const gate = { saved: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() };
const slow = defineJob('slow', {
  async run({ checkpoint, signal }) {
    await checkpoint({ page: 3 });
    gate.saved.resolve();
    const stopped = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await Promise.race([gate.open.promise, stopped]);
    return 'through';
  },
});
const elsewhere = declareJob('double', {
  input: typed<{ n: number; at: Date }>(),
  result: typed<{ twice: number; at: Date }>(),
});

for (const { label, database } of await freshDatabases()) {
  describe(label, () => {
    let pawl: Pawl;
    before(async () => {
      pawl = await openPawl({ database, jobs: [double, broken, slow], log: false });
      pawl.work();
    });
    after(() => pawl.close());

    test('a result comes back as JSON gives it back, and its type says so', async () => {
      const at = new Date('2026-11-15T08:00:00Z');
      const job = await pawl.enqueue(double, { n: 4, at });
      const result = await job.result();
      const [twice, text]: [number, string] = [result.twice, result.at];
      assert.deepEqual([twice, text], [8, '2026-11-15T08:00:00.000Z']);
      const again = pawl.job(elsewhere, job.id);
      assert.deepEqual([await again.result(), again.type], [result, 'double']);
    });

    test('a job that failed rejects with all that is known of it, its dead letter too', async () => {
      const job = await pawl.enqueue(broken);
      const error = await job.result().then(assert.fail, (thrown: unknown) => thrown);
      assert.ok(error instanceof JobFailed && isJobFailed(error));
      const { id, type, state, attempts, deadLetter } = error;
      assert.deepEqual([id, type, state, attempts], [job.id, 'broken', 'failed', 1]);
      assert.match(
        error.message,
        /^job \S+ of type "broken" ended as failed after 1 attempt: .*broke/,
      );
      const { class: errorClass, code, message, details } = error.error;
      assert.deepEqual([errorClass, code, message], ['PermanentError', 'BROKEN', 'it broke']);
      assert.deepEqual(details, { part: 7 });
      assert.deepEqual([deadLetter?.jobId, deadLetter?.error.code], [job.id, 'BROKEN']);
      assert.equal((error.cause as Error).name, 'PermanentError');
      const ended = await job.ended();
      assert.deepEqual([ended.phase, ended.error?.code], ['failed', 'BROKEN']);
    });

    test('a job that was cancelled rejects with that, and `ended` answers with it', async () => {
      const job = await pawl.enqueue(slow, { delay: '1h' });
      const waiting = job.result().then(assert.fail, (thrown: unknown) => thrown);
      const cancelled = await job.cancel({ reason: 'not needed' });
      assert.equal(cancelled.state, 'canceled');
      const error = await waiting;
      assert.ok(error instanceof JobCancelled && isJobCancelled(error));
      assert.deepEqual([error.id, error.state, error.attempts], [job.id, 'canceled', 0]);
      assert.equal((await job.ended()).phase, 'cancelled');
    });

    test('a handler that runs hears of a soft cancel, and the job ends so', async () => {
      gate.open = Promise.withResolvers<void>();
      const job = await pawl.enqueue(slow);
      for await (const { type } of job.events()) if (type === 'job_claimed') break;
      const asked = await job.cancel({ reason: 'enough' });
      assert.deepEqual(asked.cancel ?? asked.phase, { mode: 'soft', reason: 'enough' });
      assert.equal((await job.ended()).state, 'canceled');
    });

    test('who waits too long, or is told to stop, hears that alone; the job goes on', async () => {
      gate.open = Promise.withResolvers<void>();
      const job = await pawl.enqueue(slow);
      const late = await job.result({ timeout: 30 }).then(assert.fail, (error: Error) => error);
      assert.ok(late instanceof WaitTimeout);
      assert.match(late.message, /has not ended within 30 ms: it is (pending|running)/);
      const reason = new Error('the caller left');
      const stop = new AbortController();
      const waiting = job.ended({ signal: stop.signal });
      stop.abort(reason);
      await assert.rejects(waiting, reason);
      await assert.rejects(job.ended({ signal: AbortSignal.abort(reason) }), reason);
      gate.open.resolve();
      assert.equal(await job.result({ timeout: '30s' }), 'through');
    });

    test('a job that is not there is gone', async () => {
      const job = pawl.job(double, NOBODY);
      const verbs = ['result', 'ended', 'snapshot', 'cancel'] as const;
      for (const verb of verbs) {
        await assert.rejects(job[verb](), (error: JobGone) => {
          assert.match(error.message, /^there is no job .*retention removed it/);
          return error instanceof JobGone && error.id === NOBODY;
        });
      }
    });

    test('a snapshot has values and dates, and no text of JSON', async () => {
      const at = new Date(0);
      const metadata = { tags: ['a'] };
      const job = await pawl.enqueue(double, { n: 1, at }, { metadata, documentId: 'd-1' });
      await job.ended();
      const snapshot = await job.snapshot();
      assert.deepEqual(snapshot.input, { n: 1, at: at.toISOString() });
      assert.deepEqual(snapshot.result, { twice: 2, at: at.toISOString() });
      assert.deepEqual([snapshot.metadata, snapshot.documentId], [metadata, 'd-1']);
      assert.ok(snapshot.createdAt instanceof Date && snapshot.completedAt! >= snapshot.createdAt);
      assert.deepEqual([snapshot.correlationId, snapshot.error], [job.id, null]);
      gate.open = Promise.withResolvers<void>();
      gate.saved = Promise.withResolvers<void>();
      const held = await pawl.enqueue(slow);
      await gate.saved.promise;
      const { checkpoint, lease, result } = await held.snapshot();
      assert.deepEqual(
        [checkpoint, result, typeof lease!.owner],
        [{ page: 3 }, undefined, 'string'],
      );
      gate.open.resolve();
      await held.ended();
    });

    test('events come from the first on, live, to the end, or from a cursor on', async () => {
      const job = await pawl.enqueue(double, { n: 1, at: new Date() });
      const seen = [];
      for await (const event of job.events()) seen.push(event);
      const types = seen.map(({ type }) => type).filter((type) => type !== 'job_heartbeat');
      assert.deepEqual(types.toSorted(), [
        'job_claimed',
        'job_created',
        'job_log',
        'job_succeeded',
      ]);
      const claimed = seen.find(({ type }) => type === 'job_claimed')!;
      assert.deepEqual(
        [claimed.from, claimed.to, claimed.at instanceof Date],
        ['pending', 'running', true],
      );
      const rest = [];
      for await (const { type } of job.events({ after: claimed.cursor })) rest.push(type);
      assert.deepEqual(
        rest,
        seen.slice(seen.indexOf(claimed) + 1).map(({ type }) => type),
      );
      const foreign = job.events({ after: 'other.1.0' })[Symbol.asyncIterator]();
      await assert.rejects(foreign.next(), { code: 'CURSOR_RESET' });
    });

    test('why says what a job waits for', async () => {
      const job = await pawl.enqueue(slow, { delay: '1h' });
      const { reason, until } = await job.why();
      assert.deepEqual([reason, until instanceof Date], ['delayed', true]);
      await job.cancel();
    });

    test('thousands that are waited for at once all come back', async () => {
      const inputs = Array.from({ length: 2_000 }, (_, n) => ({ n, at: new Date(0) }));
      const jobs = await pawl.enqueueMany(double, inputs);
      const results = await Promise.all(jobs.map((job) => job.result()));
      assert.deepEqual(
        results.map(({ twice }) => twice),
        inputs.map(({ n }) => n * 2),
      );
    });
  });
}

describe('two processes', async () => {
  const [, { database }] = (await freshDatabases()) as [unknown, { database: string }];

  test('the end of a job that another one ran wakes who waits for it here', async () => {
    await using caller = await openPawl({ database, jobs: [elsewhere], log: false });
    await using runner = await openPawl({ database, jobs: [double], log: false });
    const job = await caller.enqueue(elsewhere, { n: 21, at: new Date(0) });
    const waiting = job.result();
    runner.work();
    assert.equal((await waiting).twice, 42);
  });
});
