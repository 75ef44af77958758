// The client has the verbs and handles of the library, over HTTP alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  declareJob,
  defineJob,
  JobCancelled,
  JobFailed,
  JobGone,
  PermanentError,
  typed,
  WaitTimeout,
} from 'pawl';
import { freshDatabases } from '../support/databases.ts';
import { serve, type Served } from '../support/served-pawl.ts';

const NOBODY = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';

const double = declareJob('double', {
  input: typed<{ n: number; at: Date }>(),
  result: typed<{ twice: number; at: string }>(),
});
const doubling = double.handle({
  run: ({ input, log }) => {
    log(`doubling ${input.n}`);
    return { twice: input.n * 2, at: input.at };
  },
});
const broken = defineJob('broken', {
  input: typed<{ why: string }>(),
  dlq: 'failed',
  run: ({ input }) => {
    throw new PermanentError(input.why, { code: 'BROKEN', details: { part: 7 } });
  },
});
const gate = { open: Promise.withResolvers<void>() };
const slow = defineJob('slow', {
  async run({ checkpoint, signal }) {
    await checkpoint({ page: 3 });
    const stopped = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await Promise.race([gate.open.promise, stopped]);
    return 'through';
  },
});
const echo = defineJob('echo', {
  input: typed<{ text: string }>(),
  run: async ({ input, artifact }) => {
    await artifact('copy.txt', input.text.slice(0, 5));
    return input;
  },
});
const at = new Date(0);

for (const { label, database } of await freshDatabases()) {
  describe(label, () => {
    let served: Served;
    before(async () => {
      served = await serve(database, [doubling, broken, slow, echo]);
    });
    after(() => served.close());

    test('a result comes back typed, by a handle of an enqueue or of an id', async () => {
      const job = await served.client.enqueue(double, { n: 4, at });
      const { twice, at: text }: { twice: number; at: string } = await job.result();
      assert.deepEqual([twice, text, job.outcome], [8, at.toISOString(), 'created']);
      assert.deepEqual(await served.client.job(double, job.id).result(), { twice, at: text });
    });

    test('a queue is paused until a time or for a while, and says until when', async () => {
      for (const side of [served.client, served.pawl]) {
        const queue = side.queue('siesta');
        const until = new Date(Date.now() + 3_600_000);
        const { isPaused, pausedUntil } = await queue.pause({ until, reason: 'too hot' });
        assert.deepEqual([isPaused, pausedUntil], [true, until]);
        const later = (await queue.pause({ until: '2h' })).pausedUntil!;
        assert.ok(later > until, later.toISOString());
        assert.deepEqual((await queue.snapshot()).pausedUntil, later);
        assert.equal((await queue.resume()).pausedUntil, null);
        for (const wrong of [new Date(0), new Date(Number.NaN), 'soon' as '1h']) {
          await assert.rejects(queue.pause({ until: wrong }), { code: 'VALIDATION_ERROR' });
        }
      }
    });

    test('options mean what they mean in the library', async () => {
      const { client } = served;
      const options = {
        key: 'once',
        delay: '1h',
        maxAttempts: 9,
        queue: 'q',
        limitKey: 'c7',
      } as const;
      const job = await client.enqueue(slow, { ...options, deadline: new Date(Date.now() + 9e6) });
      const snapshot = await job.snapshot();
      assert.deepEqual(
        [snapshot.queue, snapshot.maxAttempts, snapshot.limitKey, snapshot.input],
        ['q', 9, 'c7', undefined],
      );
      const waits = snapshot.runAt.getTime() - snapshot.createdAt.getTime();
      assert.ok(Math.abs(waits - 3_600_000) < 60_000, String(waits));
      assert.ok(snapshot.deadlineAt instanceof Date);
      assert.deepEqual([(await job.why()).reason], ['delayed']);
      await assert.rejects(client.enqueue(slow, { queue: '§' }), {
        code: 'VALIDATION_ERROR',
        faults: [{ pointer: '/queue', message: 'must be 1 to 128 letters, digits or . _ : / -' }],
      });
      const wrong = { delay: '1h', at: new Date() } as const;
      await assert.rejects(client.enqueue(slow, wrong), /beside `delay`/);
      await job.cancel();
    });

    test('a failed job rejects with all that is known of it, a cancelled and a missing one too', async () => {
      const job = await served.client.enqueue(broken, { why: 'it broke' });
      const error = await job.result().then(assert.fail, (thrown: unknown) => thrown);
      assert.ok(error instanceof JobFailed);
      const { code, details, stack } = error.error as typeof error.error & { stack?: string };
      assert.deepEqual([code, details, error.attempts], ['BROKEN', { part: 7 }, 1]);
      assert.match(stack!, /client-handles/);
      assert.deepEqual(
        [error.deadLetter?.jobId, error.deadLetter?.input],
        [job.id, { why: 'it broke' }],
      );
      const late = await served.client.enqueue(slow, { delay: '1h' });
      const cancelled = await late.cancel({ reason: 'not needed' });
      assert.equal(cancelled.state, 'canceled');
      await assert.rejects(late.result(), (thrown) => thrown instanceof JobCancelled);
      const gone = served.client.job(double, NOBODY);
      await assert.rejects(gone.result(), (thrown) => thrown instanceof JobGone);
      await assert.rejects(gone.snapshot(), (thrown) => thrown instanceof JobGone);
    });

    test('who waits too long, or is told to stop, hears that alone; the job goes on', async () => {
      gate.open = Promise.withResolvers<void>();
      const job = await served.client.enqueue(slow);
      await assert.rejects(job.result({ timeout: 30 }), (thrown) => thrown instanceof WaitTimeout);
      const stop = new AbortController();
      const reason = new Error('the caller left');
      const waiting = job.ended({ signal: stop.signal });
      stop.abort(reason);
      await assert.rejects(waiting, reason);
      gate.open.resolve();
      assert.equal(await job.result({ timeout: '30s' }), 'through');
      assert.deepEqual((await job.snapshot()).checkpoint, { page: 3 });
    });

    test('events come from the first on to the end, or from a cursor on', async () => {
      const job = await served.client.enqueue(double, { n: 1, at });
      const seen = [];
      for await (const event of job.events()) seen.push(event);
      const types = new Set(seen.map(({ type }) => type));
      for (const type of ['job_created', 'job_claimed', 'job_log', 'job_succeeded'] as const) {
        assert.ok(types.has(type), type);
      }
      const here = [];
      for await (const event of served.pawl.job(job.id).events()) here.push(event);
      assert.deepEqual(seen, here, 'as the library tells them');
      const rest = [];
      for await (const { id } of job.events({ after: seen[0]!.cursor })) rest.push(id);
      assert.deepEqual(
        rest,
        seen.slice(1).map(({ id }) => id),
      );
      const foreign = job.events({ after: 'other.1.0' })[Symbol.asyncIterator]();
      await assert.rejects(foreign.next(), { code: 'CURSOR_RESET' });
    });

    test('a snapshot is that of the library, member by member', async () => {
      const job = await served.client.enqueue(broken, { why: 'here' }, { metadata: { a: [1] } });
      await job.ended();
      assert.deepEqual(await job.snapshot(), await served.pawl.job(job.id).snapshot());
      const query = { type: broken, limit: 150 };
      assert.deepEqual(await served.client.jobs(query), await served.pawl.jobs(query));
    });

    test('many are enqueued all or none, and the one that refuses is named', async () => {
      const { client } = served;
      const inputs = [1, 2, 3].map((n) => ({ n, at }));
      const jobs = await client.enqueueMany(double, inputs, ({ n }) => ({ key: `many ${n}` }));
      assert.deepEqual(
        (await Promise.all(jobs.map((job) => job.result()))).map(({ twice }) => twice),
        [2, 4, 6],
      );
      const again = await client.enqueueMany(double, inputs, ({ n }) => ({ key: `many ${n}` }));
      assert.deepEqual(
        again.map(({ id, outcome }) => [id, outcome]),
        jobs.map(({ id }) => [id, 'replayed']),
      );
      const correlationId = 'refused';
      const faulty = client.enqueueMany(double, inputs, (_, index) => ({
        correlationId,
        ...(index === 1 ? { queue: '§' } : {}),
      }));
      await assert.rejects(faulty, (error: { details: { index: number }; faults: unknown }) => {
        assert.equal(error.details.index, 1);
        const message = 'must be 1 to 128 letters, digits or . _ : / -';
        assert.deepEqual(error.faults, [{ pointer: '/1/queue', message }]);
        return true;
      });
      assert.deepEqual((await client.jobs({ correlationId })).items, []);
      const many = Array.from({ length: 1_001 }, (_, n) => ({ n, at }));
      await assert.rejects(client.enqueueMany(double, many), /at most 1000 jobs/);
      const tried = await client.tryEnqueueMany(double, many, (_, index) => ({
        delay: '1h',
        ...(index === 1_000 ? { queue: '§' } : {}),
      }));
      assert.deepEqual([tried.filter(({ ok }) => ok).length, tried.at(-1)!.ok], [1_000, false]);
    });

    test('a large input and a large result go by reference, and nobody notices', async () => {
      const text = 'x'.repeat(600_000);
      const job = await served.client.enqueue(echo, { text }, { key: 'large' });
      assert.deepEqual(await job.result(), { text });
      assert.deepEqual((await job.snapshot()).input, { text });
      const again = await served.client.enqueue(echo, { text }, { key: 'large' });
      assert.deepEqual([again.id, again.outcome], [job.id, 'replayed']);
      const [copy] = (await job.artifacts()).filter(({ name }) => name === 'copy.txt');
      assert.deepEqual([await copy!.text(), copy!.size], ['xxxxx', 5]);
      assert.equal((await copy!.bytes()).length, 5);
    });

    test('failures are found by cause and run again, dead letters are replayed', async () => {
      const { client } = served;
      const jobs = await client.enqueueMany(broken, [{ why: 'no page 1' }, { why: 'no page 2' }]);
      await Promise.all(jobs.map((job) => job.ended()));
      const cause = (await client.failures.causes({ type: broken })).find(({ message }) =>
        message.startsWith('no page'),
      )!;
      assert.deepEqual([cause.count, cause.deadLetters, cause.code], [2, 2, 'BROKEN']);
      assert.ok(cause.lastSeen instanceof Date);
      assert.deepEqual(await client.failures.causes(), await served.pawl.failures.causes());
      const { items } = await client.failures.jobs(cause);
      assert.deepEqual(items, (await served.pawl.failures.jobs(cause)).items);
      const { fingerprint } = cause;
      const { results, hasMore } = await client.failures.rerun({ fingerprint });
      assert.deepEqual([results.map(({ ok }) => ok), hasMore], [[true, true], false]);
      for (const one of results) if (one.ok) await one.job.ended();
      const named = await client.failures.rerun({ ids: [jobs[0]!.id, NOBODY] });
      assert.deepEqual(
        named.results.map(({ ok }) => ok),
        [true, false],
      );
      const { items: letters } = await client.deadLetters.list({ fingerprint, isReplayed: false });
      const [letter] = letters;
      assert.deepEqual(
        await client.deadLetters.get(letter!.id),
        await served.pawl.deadLetters.get(letter!.id),
      );
      const replayed = await client.deadLetters.replay(letter!.id, { input: { why: 'again' } });
      const { parentKind, input } = await replayed.ended();
      assert.deepEqual([parentKind, input], ['replay', { why: 'again' }]);
      const more = await client.deadLetters.replayMany({ filter: { type: broken } });
      assert.ok(more.results.every(({ ok }) => ok) && more.results.length > 1);
    });

    test('an ended job is run again, with its input or another one', async () => {
      const job = await served.client.enqueue(double, { n: 4, at });
      await job.ended();
      const again = await job.rerun({ key: 'again' });
      assert.deepEqual((await again.result()).twice, 8);
      const { parentJobId, parentKind } = await again.snapshot();
      assert.deepEqual([parentJobId, parentKind], [job.id, 'rerun']);
      assert.equal((await job.rerun({ key: 'again' })).id, again.id);
      const edited = await job.rerun({ input: { n: 5, at: at.toISOString() } });
      assert.equal((await edited.result()).twice, 10);
    });

    test('schedules and queues are those of the library', async () => {
      const { client, pawl } = served;
      const rule = { cron: '0 3 * * *', timezone: 'Europe/Berlin' } as const;
      const made = await client.schedule('nightly', rule, double, { n: 1, at }, { queue: 'q' });
      assert.deepEqual([made.type, made.input], ['double', { n: 1, at: at.toISOString() }]);
      assert.deepEqual(await client.schedules.get('nightly'), await pawl.schedules.get('nightly'));
      assert.deepEqual(await client.schedules.list(), await pawl.schedules.list());
      assert.equal((await client.schedules.pause('nightly')).isPaused, true);
      const fire = await client.schedules.run('nightly', { key: 'now' });
      assert.equal((await client.job(double, fire.jobId!).result()).twice, 2);
      assert.deepEqual(
        await client.schedules.history('nightly'),
        await pawl.schedules.history('nightly'),
      );
      assert.equal((await client.schedules.resume('nightly')).isPaused, false);
      await client.schedules.remove('nightly');
      await assert.rejects(client.schedules.get('nightly'), { code: 'NOT_FOUND' });
      const wrong = { input: 1 } as unknown as { n: number; at: Date };
      const other = declareJob('nobody', { input: typed<{ n: number; at: Date }>() });
      await assert.rejects(client.schedule('x', rule, other, wrong), { code: 'UNKNOWN_TYPE' });
      const queue = client.queue('q');
      assert.equal((await queue.pause({ reason: 'the mail server is down' })).isPaused, true);
      const held = await client.enqueue(double, { n: 1, at }, { queue: 'q' });
      assert.deepEqual(await queue.snapshot(), await pawl.queue('q').snapshot());
      assert.equal((await queue.counts()).ready, 1);
      assert.equal((await queue.limits({ concurrency: 3 })).concurrency, 3);
      assert.equal((await queue.resume()).isPaused, false);
      await held.ended();
    });
  });
}
