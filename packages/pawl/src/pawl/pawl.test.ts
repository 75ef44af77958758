// The smallest program, and what openPawl can be told.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { WaitTimeout } from '../handle/job-errors.ts';
import { defineJob } from '../handler/define-job.ts';
import { PermanentError } from '../handler/failure.ts';
import { typed } from '../handler/schema.ts';
import { openPawl, type PawlOptions } from './open-pawl.ts';
import { partsOf } from './parts.ts';
import type { Pawl } from './pawl.ts';
import { retentionOf } from './retention-option.ts';

const greet = defineJob('greet', {
  input: typed<{ name: string }>(),
  stages: [
    { name: 'think', min: 0, max: 50 },
    { name: 'speak', min: 50, max: 100 },
  ],
  async run({ input, stage }) {
    const words = await stage('think', () => ['Hello', input.name]);
    return stage('speak', () => words.join(', '));
  },
});

const memory = (options: Omit<PawlOptions, 'database'>): Promise<Pawl> =>
  openPawl({ database: ':memory:', ...options });

test('[P12] a job enqueued with its definition is run by a worker and has its result', async () => {
  await using pawl = await memory({ jobs: [greet] });
  pawl.work();
  const job = await pawl.enqueue(greet, { name: 'world' });
  const text: string = await job.result();
  const { state, progress, result } = await job.snapshot();
  assert.deepEqual([text, state, progress, result], [text, 'succeeded', 100, 'Hello, world']);
});

test('an observer of a running Pawl hears how a job goes, and goes on after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-observed-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, 'pawl.db');
  const heard: string[] = [];
  const told = { created: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() };
  const openObserved = async (): Promise<Pawl> => {
    const pawl = await openPawl({ database, jobs: [greet] });
    pawl.observe({
      name: 'audit',
      every: 5,
      types: [greet],
      onJobCreated: ({ jobType }) => {
        heard.push(`${jobType} created`);
        told.created.resolve();
      },
      onStatusChanged: ({ from, to }) => void heard.push(`${from} > ${to}`),
      onJobCompleted: async ({ job, event }) => {
        heard.push(event.type, String((await job())?.result));
        told.ended.resolve();
      },
    });
    return pawl;
  };
  const first = await openObserved();
  await first.enqueue(greet, { name: 'you' });
  await told.created.promise;
  await first.close();
  const second = await openObserved();
  second.work();
  await told.ended.promise;
  await second.close();
  const ways = ['pending > running', 'running > succeeded'];
  assert.deepEqual(heard, ['greet created', ...ways, 'job_succeeded', 'Hello, you']);
});

describe('around a handler', () => {
  const traced = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const look = defineJob('look', {
    input: typed<{ fails: boolean }>(),
    maxAttempts: 1,
    run: ({ input, ...context }) => {
      seen.push([traced.getStore(), (context as { db?: string }).db]);
      if (input.fails) throw new PermanentError('broken');
      return 'seen';
    },
  });

  test('there is what `around` makes of it, and in its argument what `context` gives', async () => {
    const caught: string[] = [];
    await using pawl = await memory({
      jobs: [look],
      log: false,
      context: ({ job }) => ({ db: `db for ${job.type}` }),
      around: (attempt, next) =>
        traced.run(attempt.job.id, async () => {
          try {
            return await next();
          } catch (error) {
            caught.push(String(error));
            throw error;
          }
        }),
    });
    pawl.work();
    const [good, bad] = await pawl.enqueueMany(look, [{ fails: false }, { fails: true }]);
    assert.equal(await good!.result(), 'seen');
    await assert.rejects(bad!.result(), { name: 'JobFailed' });
    const db = 'db for look';
    assert.deepEqual(
      new Set(seen),
      new Set([
        [good!.id, db],
        [bad!.id, db],
      ]),
    );
    assert.deepEqual(caught, ['PermanentError: broken']);
  });

  test('a member that every handler has already is refused, and named', async () => {
    await using pawl = await memory({
      jobs: [look],
      log: false,
      context: () => ({ input: 'mine' }),
    });
    pawl.work();
    const job = await pawl.enqueue(look, { fails: false });
    await assert.rejects(job.result(), /`context` gives "input".*rename it/);
  });
});

describe('a handler that waits for another job', () => {
  const inner = defineJob('inner', { run: () => 7 });

  test('is warned of once for each pair of types, since it keeps its slot', async () => {
    const lines: unknown[][] = [];
    const open: { pawl?: Pawl } = {};
    const outer = defineJob('outer', {
      run: async () => {
        const job = await open.pawl!.enqueue(inner);
        await job.ended();
        return job.result();
      },
    });
    const log = { warn: (...line: unknown[]) => void lines.push(line) };
    await using pawl = await memory({ jobs: [inner, outer], log });
    open.pawl = pawl;
    pawl.work();
    const jobs = [await pawl.enqueue(outer), await pawl.enqueue(outer)];
    assert.deepEqual(await Promise.all(jobs.map((job) => job.result())), [7, 7]);
    assert.equal(lines.length, 1);
    assert.match(String(lines[0]![0]), /^pawl: a handler waits for another job and keeps its slot/);
    assert.deepEqual(lines[0]![1], { type: 'outer', awaited: 'inner' });
  });
});

describe('the log', () => {
  async function warned(log: PawlOptions['log']): Promise<void> {
    const pawl = await memory({ jobs: [], ...(log === undefined ? {} : { log }) });
    partsOf(pawl).context.log.warn('the store cannot be swept', { error: 'x' });
    await pawl.close();
  }

  test('goes to the console, unless it is told otherwise', async (context) => {
    const lines = context.mock.method(console, 'warn', () => undefined);
    await warned(undefined);
    await warned(false);
    assert.deepEqual(
      lines.mock.calls.map((call) => call.arguments),
      [['pawl: the store cannot be swept', { error: 'x' }]],
    );
  });

  test('goes to a pino with its facts first', async () => {
    const lines: unknown[][] = [];
    const warn = (...line: unknown[]): void => void lines.push(line);
    await warned({ warn, error: warn, child: () => null });
    assert.deepEqual(lines, [[{ error: 'x' }, 'the store cannot be swept']]);
  });
});

describe('openPawl', () => {
  test('refuses options that do not go together, all at once and with what to do', async () => {
    const pool = { connect: () => Promise.resolve(null), totalCount: 0 };
    await assert.rejects(memory({ jobs: [], pool, migrate: 'check' }), {
      code: 'VALIDATION_ERROR',
      message: '/pool: must be left out beside `database`: give one of them',
    });
    await assert.rejects(memory({ jobs: [], schema: 'mine' }), /\/schema: is for PostgreSQL alone/);
    await assert.rejects(
      memory({ jobs: [], retention: { jobs: 'soon' as '1d' } }),
      /\/retention\/jobs: must be milliseconds or a text like '5s'/,
    );
    await assert.rejects(memory({ jobs: [], retention: { jobs: '1h' } }), /at least 24 hours/);
  });

  test('refuses a database that is neither a file of SQLite nor a PostgreSQL URL', async () => {
    const refuses = (database: string, message: RegExp) =>
      assert.rejects(openPawl({ database, jobs: [] }), message);
    await refuses('mysql://host/name', /\/database: begins with mysql:\/\/: give a postgres:\/\//);
    await refuses(tmpdir(), /\/database: is a folder: name a file in it, such as .*pawl\.db/);
  });

  test('keeps things as long as it is told, or for ever', async () => {
    const day = 86_400_000;
    assert.deepEqual(retentionOf({}), {});
    assert.deepEqual(retentionOf({ jobs: '7d', notes: 'forever', deadLetters: 90 * day }), {
      jobsMs: 7 * day,
      notesMs: null,
      deadLettersMs: 90 * day,
      feedMs: 2 * day,
    });
    assert.equal(retentionOf({ jobs: '1d' }).feedMs, day);
    const kept = { jobsMs: null, notesMs: null, feedMs: null, firesMs: null, deadLettersMs: null };
    assert.deepEqual(retentionOf('forever'), kept);
    await using pawl = await memory({ jobs: [greet], retention: 'forever' });
    assert.ok((await pawl.doctor()).some(({ level }) => level === 'good'));
  });
});

describe('close', () => {
  test('lets handlers finish, and tells those who wait for a job that has not', async () => {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow = defineJob('slow', {
      run: async () => {
        begun.resolve();
        await goOn.promise;
        return 'done';
      },
    });
    const pawl = await memory({ jobs: [slow, greet], log: false });
    pawl.work();
    const job = await pawl.enqueue(slow);
    const later = await pawl.enqueue(greet, { name: 'x' }, { delay: '1h' });
    const [result, never] = [job.result(), later.result()];
    never.catch(() => undefined);
    await begun.promise;
    const closed = pawl.close({ timeout: '10s' });
    assert.equal(pawl.close(), closed);
    goOn.resolve();
    assert.equal(await result, 'done');
    await closed;
    await assert.rejects(never, /Pawl was closed while waiting for job .*: the job is pending/);
  });

  test('asks handlers to stop that take longer than its timeout, and gives their jobs back', async () => {
    const begun = Promise.withResolvers<void>();
    const stuck = defineJob('stuck', {
      run: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          begun.resolve();
        }),
    });
    const folder = mkdtempSync(join(tmpdir(), 'pawl-closed-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const database = join(folder, 'pawl.db');
    const pawl = await openPawl({ database, jobs: [stuck], log: false });
    pawl.work();
    const job = await pawl.enqueue(stuck);
    await begun.promise;
    await pawl.close({ timeout: 1 });
    await using again = await openPawl({ database, jobs: [stuck], log: false });
    const { phase, attempts } = await again.job(stuck, job.id).snapshot();
    assert.deepEqual([phase, attempts], ['ready', 1]);
    await assert.rejects(again.job(job.id).result({ timeout: 1 }), WaitTimeout);
  });
});
