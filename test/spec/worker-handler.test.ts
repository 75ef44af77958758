// What a handler is promised: stages, checkpoints, effects and progress.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunContext } from 'pawl/internal/handler/context';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { fail, PermanentError } from 'pawl/internal/handler/failure';
import {
  jobThat,
  openWorkshop,
  runThrough,
  sourceWith,
  type Workshop,
} from '../support/workshop.ts';

test('the context of a handler can be taken apart, and a copy of it works as well', async () => {
  const seen: unknown[] = [];
  const shop = await openWorkshop([
    jobThat(async (context) => {
      const { input, ...rest } = context;
      const copy: RunContext<unknown> = { ...context, input: 'other' };
      seen.push(input, copy.input, rest.job.id === copy.job.id, copy.signal.aborted, rest.attempt);
      const { once, progress } = copy;
      progress(0.5);
      return once('effect', () => 'made');
    }),
  ]);
  const job = await shop.world.job(await runThrough(shop, 'mine'));
  assert.deepEqual(seen, ['mine', 'other', true, false, 1]);
  assert.equal(job.result, '"made"');
});

test('[R7] a handler guards resources of its own by its fencing token: a lost one writes no more', async () => {
  const resource = { token: 0, writer: '' };
  const write = (token: number, writer: string): boolean => {
    if (token < resource.token) return false;
    Object.assign(resource, { token, writer });
    return true;
  };
  const woken = Promise.withResolvers<void>();
  const late = Promise.withResolvers<boolean>();
  const shop = await openWorkshop([
    jobThat(async ({ fencingToken, attempt }) => {
      if (attempt === 1) await woken.promise;
      const isWritten = write(fencingToken, `attempt ${attempt}`);
      if (attempt === 1) late.resolve(isWritten);
      return fencingToken;
    }),
  ]);
  const { id } = await shop.world.enqueue('job');
  await shop.worker().poll();
  shop.timers.advance(60_000);
  await shop.world.sweep();
  await shop.runUntilIdle(shop.worker());
  const { result, epoch } = await shop.world.job(id);
  assert.deepEqual([result, epoch], ['2', 2]);
  woken.resolve();
  assert.equal(await late.promise, false);
  assert.deepEqual(resource, { token: 2, writer: 'attempt 2' });
});

describe('stages', () => {
  const fourTiles = (did: unknown[]): JobDefinition =>
    jobThat(async ({ stage, attempt }) => {
      const tiles = await stage('plan', () => {
        did.push('plan');
        return [0, 1, 2, 3];
      });
      await stage('render', { from: 0 }, async ({ from, checkpoint }) => {
        for (let next = from; next < tiles.length; next++) {
          if (attempt === 1 && next === 2) throw fail('network_timeout', 'tile 2 did not come');
          did.push(next);
          await checkpoint(next + 1);
        }
      });
      return stage('publish', () => tiles.length);
    });

  test('[P4, T36] a retry skips finished stages and resumes at the checkpoint', async () => {
    const did: unknown[] = [];
    const shop = await openWorkshop([fourTiles(did)]);
    const job = await shop.world.job(await runThrough(shop));
    assert.equal(job.state, 'succeeded');
    assert.equal(job.result, '4');
    assert.equal(job.attempts, 2);
    assert.deepEqual(did, ['plan', 0, 1, 2, 3]);
  });

  test('[P4] a stage begins with what its checkpoint will be later: JSON', async () => {
    const seen: unknown[] = [];
    const shop = await openWorkshop([
      jobThat(async ({ stage, attempt }) => {
        const first = { from: { at: new Date(0), none: undefined } };
        await stage('walk', first, async ({ from, checkpoint }) => {
          seen.push(from);
          await checkpoint({ at: new Date(1), none: undefined });
          if (attempt === 1) throw fail('network_timeout', 'once more');
        });
        await stage('bare', ({ from }) => void seen.push(from));
      }),
    ]);
    await runThrough(shop);
    const [one, two] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.001Z'];
    assert.deepEqual(seen, [{ at: one }, { at: two }, undefined]);
  });

  test('[P4] a stage gives the same value in the attempt it ran in and later', async () => {
    const seen: unknown[] = [];
    const shop = await openWorkshop([
      jobThat(async ({ stage, attempt }) => {
        seen.push(await stage('date', () => ({ at: new Date(0), none: undefined })));
        if (attempt === 1) throw fail('network_timeout', 'once more');
      }),
    ]);
    await runThrough(shop);
    assert.deepEqual(seen, [
      { at: '1970-01-01T00:00:00.000Z' },
      { at: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  test('[R29] a failure names the stage it came from', async () => {
    const shop = await openWorkshop([
      jobThat(({ stage }) =>
        stage('outer', () =>
          stage('inner', () => {
            throw new PermanentError('no');
          }),
        ),
      ),
    ]);
    const { error } = await shop.world.job(await runThrough(shop));
    assert.equal(error?.stage, 'inner');
  });

  test('a stage that was not declared fails the job and says which there are', async () => {
    const stages = [{ name: 'plan', min: 0, max: 10 }];
    const shop = await openWorkshop([jobThat(({ stage }) => stage('plam', () => 1), { stages })]);
    const { error } = await shop.world.job(await runThrough(shop));
    assert.equal(error?.class, 'configuration_error');
    assert.match(error.message, /no stage "plam"; there is plan/);
  });

  test('asked for twice in one attempt, a stage is done once', async () => {
    let count = 0;
    const shop = await openWorkshop([
      jobThat(async ({ stage }) => {
        const both = [stage('same', () => ++count), stage('same', () => ++count)];
        return [...(await Promise.all(both)), await stage('same', () => ++count)];
      }),
    ]);
    assert.equal((await shop.world.job(await runThrough(shop))).result, '[1,1,1]');
  });
});

describe('checkpoints', () => {
  test('[P4] a checkpoint is durable when it resolves', async () => {
    const read: unknown[] = [];
    let shop: Workshop | null = null;
    const job = jobThat(async ({ checkpoint, job: { id } }) => {
      await checkpoint({ page: 7 });
      read.push((await shop!.world.job(id)).checkpoint);
    });
    shop = await openWorkshop([job]);
    await runThrough(shop);
    assert.deepEqual(read, ['{"page":7}']);
  });

  test('[P4, T36] a later attempt finds the last checkpoint of the one before', async () => {
    const found: unknown[] = [];
    const shop = await openWorkshop([
      jobThat(async ({ checkpoint, lastCheckpoint, attempt }) => {
        found.push(lastCheckpoint);
        await checkpoint({ page: attempt });
        if (attempt < 3) throw fail('network_timeout', 'again');
      }),
    ]);
    await runThrough(shop);
    assert.deepEqual(found, [null, { page: 1 }, { page: 2 }]);
  });
});

describe('effects', () => {
  test('[P3] an effect is made once per job, whatever the attempt', async () => {
    const mails: string[] = [];
    const shop = await openWorkshop([
      jobThat(async ({ once, attempt, idempotencyKey }) => {
        const number = await once('mail', ({ idempotencyKey: key }) => mails.push(key));
        assert.ok(mails[0]?.startsWith(`${idempotencyKey}/`));
        if (attempt < 3) throw fail('network_timeout', 'again');
        return number;
      }),
    ]);
    const job = await shop.world.job(await runThrough(shop));
    assert.equal(job.attempts, 3);
    assert.equal(job.result, '1');
    assert.equal(mails.length, 1);
  });

  test('[P2, P3] when its record is lost an effect is made again, under the same key', async () => {
    const mails: string[] = [];
    const shop = await openWorkshop([
      jobThat(({ once }) => once('mail', ({ idempotencyKey: key }) => mails.push(key))),
    ]);
    const id = (await shop.world.enqueue('job')).id;
    const isDying = { renew: () => () => new Promise<never>(() => undefined) };
    const dying = shop.worker({ source: sourceWith(shop.world.engine, isDying) });
    await dying.poll();
    shop.timers.advance(60_000);
    await shop.world.sweep();
    await shop.runUntilIdle(shop.worker());
    assert.equal(await shop.world.stateOf(id), 'succeeded');
    assert.equal(mails.length, 2);
    assert.equal(mails[0], mails[1]);
  });
});

describe('progress', () => {
  const stages = [
    { name: 'fetch', min: 0, max: 20 },
    { name: 'draw', min: 20, max: 80 },
  ];

  /** What each write left in the row. */
  async function progressOf(run: (context: RunContext<unknown>) => unknown): Promise<number[]> {
    const shop = await openWorkshop([jobThat(run, { stages })]);
    const id = await runThrough(shop);
    const events = await shop.world.events(id, { notes: true });
    return [...events.map(({ progress }) => progress), (await shop.world.job(id)).progress];
  }

  test('[T15] never decreases, whatever a handler says', async () => {
    const seen = await progressOf(async ({ progress, checkpoint }) => {
      for (const done of [0.5, 0.2, 0.7, Number.NaN, -3, 0.6]) {
        progress(done);
        await checkpoint(done);
      }
    });
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => one - other),
    );
    assert.ok(seen.includes(50) && seen.includes(70) && !seen.includes(20));
  });

  test('[T16] entering a stage sets its minimum; a share is one of its range', async () => {
    const seen = await progressOf(async ({ stage, checkpoint }) => {
      await stage('fetch', () => 1);
      await stage('draw', async ({ progress }) => {
        await checkpoint('entered');
        progress(0.5, 'half way');
        await checkpoint('half');
      });
      throw new PermanentError('stop here');
    });
    assert.deepEqual([...new Set(seen)], [0, 20, 50, 80]);
  });

  test('[T17] success means 100; a failure keeps the last value', async () => {
    const done = await progressOf(({ progress }) => progress({ percent: 30 }));
    assert.equal(done.at(-1), 100);
    const failed = await progressOf(({ progress }) => {
      progress({ percent: 30 });
      throw new PermanentError('no');
    });
    assert.equal(failed.at(-1), 30);
  });
});
