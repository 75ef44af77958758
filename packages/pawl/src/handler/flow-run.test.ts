import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import {
  errorOf,
  KeptWaits,
  PASSED,
  type Run,
  turn,
  valueOf,
} from '../../../../test/support/kept-waits.ts';
import { PawlError } from '../core/errors.ts';
import { declareJob } from './define-job.ts';
import { typed } from './schema.ts';
import { JobStop, StopSwitch } from './stop.ts';
import { isSuspended } from './suspended.ts';

const child = declareJob('child', { input: typed<number>(), result: typed<number>() });

describe('a wait', () => {
  test('that is not decided ends the turn, and the next one gets its value', async () => {
    const kept = new KeptWaits();
    const run: Run = async ({ call }) => (await call('double', child, 2)) * 10;
    assert.deepEqual(await turn(kept, run), { kind: 'suspend', waits: ['double'] });
    kept.end('double', [4]);
    assert.equal(valueOf(await turn(kept, run)), 40);
  });

  test('begins only when it is awaited', async () => {
    const kept = new KeptWaits();
    await turn(kept, ({ call, sleep }) => {
      call('unused', child, 1);
      sleep('unused-too', '1d');
      return 'done';
    });
    assert.deepEqual(kept.calls, []);
  });

  test('is asked for together with those that are awaited in the same round', async () => {
    const kept = new KeptWaits();
    const run: Run = async ({ sleep, receive }) =>
      Promise.all([sleep('a', '1d'), (async () => receive('b'))(), sleep('c', '1h')]);
    assert.deepEqual(await turn(kept, run), { kind: 'suspend', waits: ['b', 'a', 'c'] });
    assert.equal(kept.calls.length, 1);
    kept.decided.set('a', PASSED).set('c', PASSED);
    assert.deepEqual(await turn(kept, run), { kind: 'suspend', waits: ['b'] });
  });

  test('lets what is decided beside it go on before the turn ends', async () => {
    const kept = new KeptWaits();
    kept.decided.set('a', PASSED);
    const outcome = await turn(kept, ({ sleep, stage, receive }) =>
      Promise.all([sleep('a', '1d').then(() => stage('after a', () => 'done')), receive('b')]),
    );
    assert.deepEqual(outcome, { kind: 'suspend', waits: ['b'] });
    assert.deepEqual(kept.stages, [{ name: 'after a', result: '"done"' }]);
  });

  test('lets stages and effects that are on their way finish first', async () => {
    const kept = new KeptWaits();
    /** Takes longer than the answer that nothing is decided. */
    const slow = async (): Promise<string> => {
      await kept.decides;
      return (await readFile(new URL(import.meta.url), 'utf8')).slice(0, 1);
    };
    const running = turn(kept, ({ sleep, stage, once }) =>
      Promise.all([sleep('a', '1d'), stage('slow', slow), once('effect', slow)]),
    );
    assert.deepEqual(await running, { kind: 'suspend', waits: ['a'] });
    assert.deepEqual(kept.stages.map(({ name }) => name).toSorted(), ['once:effect', 'slow']);
  });

  test('of a name that is used twice in a turn is refused', async () => {
    const outcome = await turn(new KeptWaits(), async ({ sleep }) => {
      for (;;) await sleep('poll', 0);
    });
    assert.equal(outcome.kind, 'suspend');
    const kept = new KeptWaits();
    kept.decided.set('poll', PASSED);
    const again = await turn(kept, async ({ sleep }) => {
      for (;;) await sleep('poll', 0);
    });
    const { class: errorClass, message } = errorOf(again);
    assert.equal(errorClass, 'configuration_error');
    assert.match(message, /two waits named "poll"/);
  });

  test('inside a stage is refused, for it would wait for itself', async () => {
    const outcome = await turn(new KeptWaits(), ({ stage, sleep }) =>
      stage('work', async () => {
        await sleep('inside', '1h');
        return null;
      }),
    );
    assert.match(errorOf(outcome).message, /inside "work" would never end/);
  });

  test('that the platform refuses throws at the call, and spoils no other', async () => {
    const kept = new KeptWaits();
    kept.refusal = new PawlError('VALIDATION_ERROR', 'not so');
    const seen: string[] = [];
    const outcome = await turn(kept, async ({ sleep, receive }) => {
      const ends = await Promise.allSettled([sleep('a', 1), receive('b')]);
      seen.push(...ends.map(({ status }) => status));
      return 'went on';
    });
    assert.equal(valueOf(outcome), 'went on');
    assert.deepEqual(seen, ['rejected', 'rejected']);
  });

  test('rejects with the stop when the job is to stop', async () => {
    const stops = new StopSwitch();
    const kept = new KeptWaits();
    const work = Promise.withResolvers<null>();
    const running = turn(
      kept,
      ({ sleep, stage, signal }) => {
        signal.addEventListener('abort', () => work.resolve(null));
        return Promise.all([sleep('a', '1d'), stage('slow', () => work.promise)]);
      },
      stops,
    );
    await kept.decides;
    stops.turn(new JobStop({ why: 'cancelled', mode: 'soft', message: 'cancelled' }));
    assert.deepEqual(await running, { kind: 'stopped' });
  });
});

describe('a suspension', () => {
  test('aborts the signal, and throws what is no Error', async () => {
    const seen: unknown[] = [];
    const outcome = await turn(new KeptWaits(), async ({ sleep, signal }) => {
      try {
        await sleep('a', '1d');
      } catch (thrown) {
        seen.push(isSuspended(thrown), thrown instanceof Error, (signal.reason as JobStop).why);
        throw thrown;
      }
    });
    assert.deepEqual(seen, [true, false, 'suspended']);
    assert.equal(outcome.kind, 'suspend');
  });

  test('makes every later call of the turn reject, and what is returned count for nothing', async () => {
    const kept = new KeptWaits();
    kept.stages.push({ name: 'kept', result: '1' });
    const seen: unknown[] = [];
    const outcome = await turn(kept, async (context) => {
      const { sleep, stage, once, checkpoint, artifact, openArtifact, call, spawn, receive } =
        context;
      try {
        await sleep('a', '1d');
      } catch {
        const calls = [
          stage('kept', () => 1),
          once('effect', () => 1),
          checkpoint(1),
          artifact('a', 'a'),
          openArtifact('a'),
          call('b', child, 1),
          spawn('c', child, 1),
          receive('d'),
        ];
        const ends = await Promise.allSettled(calls);
        seen.push(...ends.map((end) => end.status === 'rejected' && isSuspended(end.reason)));
      }
      return 'nothing happened';
    });
    assert.deepEqual(
      seen,
      Array.from({ length: 8 }, () => true),
    );
    assert.deepEqual(outcome, { kind: 'suspend', waits: ['a'] });
  });

  test('stays one, whatever the handler makes of it', async () => {
    const outcome = await turn(new KeptWaits(), async ({ sleep }) => {
      await sleep('a', '1d').then(undefined, () => {
        throw new Error('something else');
      });
    });
    assert.equal(outcome.kind, 'suspend');
  });
});
