// What a handler says on the way and how it ends: notes, pauses and errors.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineJob } from 'pawl/internal/handler/define-job';
import {
  fail,
  LeaseConflictError,
  PermanentError,
  TransientError,
  ValidationError,
} from 'pawl/internal/handler/failure';
import type { Schema } from 'pawl/internal/handler/schema';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { document } from 'pawl/internal/lifecycles/document';
import { jobThat, openWorkshop, runThrough } from '../support/workshop.ts';

describe('notes', () => {
  test('log lines and tokens are kept in order and travel together', async () => {
    const shop = await openWorkshop([
      jobThat(({ log, tokens }) => {
        log('one');
        tokens('Hel');
        tokens('lo');
        log('two');
      }),
    ]);
    const events = await shop.world.events(await runThrough(shop), { notes: true });
    const said = events
      .filter(({ type }) => type === 'job_log' || type === 'job_tokens')
      .map(({ message, payload }) => message ?? payload?.['text']);
    assert.deepEqual(said, ['one', 'Hello', 'two']);
    assert.equal(events.filter(({ type }) => type === 'job_heartbeat').length, 1);
  });

  test('more lines than can be kept are counted, not kept', async () => {
    const shop = await openWorkshop([
      jobThat(({ log }) => {
        for (let line = 0; line < 1_000; line++) log(`line ${line}`);
      }),
    ]);
    const events = await shop.world.events(await runThrough(shop), { notes: true });
    const lines = events.filter(({ type }) => type === 'job_log').map(({ message }) => message);
    assert.equal(lines.length, 257);
    assert.match(lines.at(-1)!, /744 more lines/);
  });
});

describe('a pause', () => {
  test('a snooze costs no attempt, and the handler runs again after the delay', async () => {
    let turns = 0;
    const shop = await openWorkshop([
      jobThat(({ snooze, attempt }) => {
        assert.equal(attempt, 1);
        if (++turns < 3) snooze(500);
        return turns;
      }),
    ]);
    const job = await shop.world.job(await runThrough(shop));
    assert.deepEqual([job.state, job.result, job.attempts], ['succeeded', '3', 1]);
  });

  test('a lifecycle without snooze fails the job and says so', async () => {
    const shop = await openWorkshop([
      defineJob('job', { lifecycle: document, run: ({ snooze }) => snooze(500) }),
    ]);
    const { state, error } = await shop.world.job(await runThrough(shop));
    assert.deepEqual([state, error?.class], ['FAILED', 'configuration_error']);
    assert.match(error!.message, /lists no snooze/);
  });
});

describe('errors', () => {
  const classes: readonly [thrown: unknown, errorClass: string, attempts: number][] = [
    [new ValidationError('no'), 'ValidationError', 1],
    [new PermanentError('no'), 'PermanentError', 1],
    [new TransientError('no'), 'TransientError', 2],
    [new LeaseConflictError('no'), 'LeaseConflictError', 2],
    [fail('network_timeout', 'no'), 'network_timeout', 2],
    [new Error('no'), 'Error', 2],
    [new TypeError('no'), 'TypeError', 2],
    ['no', 'Error', 2],
  ];
  for (const [thrown, errorClass, attempts] of classes) {
    test(`[R30] ${String(thrown)} counts as ${errorClass}, ${attempts} attempts`, async () => {
      const run = (): never => {
        throw thrown;
      };
      const shop = await openWorkshop([jobThat(run, { lifecycle: distributed, maxAttempts: 2 })]);
      const job = await shop.world.job(await runThrough(shop));
      assert.equal(job.error?.class, errorClass);
      assert.equal(job.attempts, attempts);
      assert.equal(job.error.message, 'no');
    });
  }

  test('a failure carries code and details, and may ask for the dead-letter queue', async () => {
    const error = fail('quota_exceeded', 'too many', {
      code: 'EXPORT_QUOTA',
      details: { used: 7 },
      deadLetter: 'policy_violation',
    });
    const run = (): never => {
      throw error;
    };
    const shop = await openWorkshop([jobThat(run, { lifecycle: distributed })]);
    const job = await shop.world.job(await runThrough(shop));
    assert.equal(job.state, 'dead_lettered');
    assert.deepEqual([job.error?.code, job.error?.details], ['EXPORT_QUOTA', { used: 7 }]);
  });

  test('input that does not fit fails before the handler, a wrong result after', async () => {
    const isNumber: Schema<number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) =>
          typeof value === 'number' ? { value } : { issues: [{ message: 'must be a number' }] },
      },
    };
    let runs = 0;
    const job = defineJob('job', {
      lifecycle: distributed,
      input: isNumber,
      result: isNumber,
      run: () => {
        runs += 1;
        return 'text' as unknown as number;
      },
    });
    const shop = await openWorkshop([job]);
    const [input, output] = [await runThrough(shop, 'x'), await runThrough(shop, 1)];
    const errors = [await shop.world.job(input), await shop.world.job(output)];
    assert.deepEqual(
      errors.map(({ error }) => [error?.class, error?.stage, error?.message]),
      [
        ['ValidationError', 'input', '/: must be a number'],
        ['ValidationError', 'output', '/: must be a number'],
      ],
    );
    assert.equal(runs, 1);
  });
});
