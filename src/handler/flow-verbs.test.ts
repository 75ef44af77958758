import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  errorOf,
  KeptWaits,
  PASSED,
  type Run,
  turn,
  valueOf,
} from '../../test/support/kept-waits.ts';
import type { WaitRequest } from '../core/flow.ts';
import { isChildrenFailed } from './children-failed.ts';
import { declareJob } from './define-job.ts';
import { type Schema, typed } from './schema.ts';

const child = declareJob('child', { input: typed<number>(), result: typed<number>() });

describe('children', () => {
  const items = Array.from({ length: 2_500 }, (_, index) => index);
  const all: Run = async ({ callAll }) => {
    const parts = await callAll('parts', child, items);
    let sum = 0;
    for await (const part of parts.results()) sum += part.result;
    return { sum, counts: parts.counts };
  };

  test('are made in portions, and their results are read page by page', async () => {
    const kept = new KeptWaits();
    assert.equal((await turn(kept, all)).kind, 'suspend');
    const spawns = kept.calls.filter((one) => one.do === 'spawn');
    assert.deepEqual(
      spawns.map((one) => [one.items.length, one.offset, one.isLast]),
      [
        [1_000, 0, false],
        [1_000, 1_000, false],
        [500, 2_000, true],
      ],
    );
    kept.end('parts', items);
    const sum = (2_499 * 2_500) / 2;
    const counts = { total: 2_500, succeeded: 2_500, failed: 0 };
    assert.deepEqual(valueOf(await turn(kept, all)), { sum, counts });
  });

  test('that failed make the wait throw ChildrenFailed, which is not retried', async () => {
    const kept = new KeptWaits();
    await turn(kept, all);
    kept.end(
      'parts',
      items.map((item) => (item === 2_400 ? new Error('no such part') : item)),
    );
    const error = errorOf(await turn(kept, all));
    assert.deepEqual([error.class, error.retryable], ['ChildrenFailed', false]);
    const message =
      '1 of 2500 jobs of "parts" did not succeed; the first, "2400": Error: no such part';
    assert.equal(error.message, message);
    let caught: unknown;
    await turn(kept, async ({ callAll }) => {
      await Promise.resolve(callAll('parts', child, items)).catch((thrown: unknown) => {
        caught = thrown;
      });
    });
    assert.ok(isChildrenFailed(caught));
    assert.deepEqual(
      caught.failures.map(({ key }) => key),
      ['2400'],
    );
  });

  test('that failed are results with onFailure: collect', async () => {
    const kept = new KeptWaits();
    const run: Run = async ({ callAll, call }) => {
      const parts = await callAll('two', child, [1, 2], { onFailure: 'collect' });
      const outcomes: boolean[] = [];
      for await (const part of parts.results()) outcomes.push(part.ok);
      const one = await call('one', child, 1, { onFailure: 'collect' });
      return [...outcomes, one.ok];
    };
    await turn(kept, run);
    kept.end('two', [1, new Error('no')]);
    await turn(kept, run);
    kept.end('one', [new Error('no')]);
    assert.deepEqual(valueOf(await turn(kept, run)), [true, false, false]);
  });

  test('need keys that tell them apart', async () => {
    const objects = declareJob('objects', { input: typed<{ name: string }>() });
    const twice = await turn(new KeptWaits(), ({ callAll }) =>
      callAll('twins', objects, [{ name: 'a' }, { name: 'a' }], { key: ({ name }) => name }),
    );
    assert.match(errorOf(twice).message, /two items of "twins" have the key "a"/);
    const none = await turn(new KeptWaits(), ({ callAll }) =>
      // @ts-expect-error -- objects need a key
      callAll('keyless', objects, [{ name: 'a' }]),
    );
    assert.match(errorOf(none).message, /callAll\("keyless"\) needs `key`/);
  });

  test('that are spawned do not hold the turn up, and can be awaited later', async () => {
    const kept = new KeptWaits();
    const run: Run = async ({ spawn, sleep }) => {
      const started = await spawn('later', child, 1);
      await sleep('first', '1h');
      return [started.id, await started.result()];
    };
    assert.deepEqual(await turn(kept, run), { kind: 'suspend', waits: ['first'] });
    kept.decided.set('first', PASSED);
    assert.deepEqual(await turn(kept, run), { kind: 'suspend', waits: ['later'] });
    kept.end('later', [7]);
    assert.deepEqual(valueOf(await turn(kept, run)), ['id-1', 7]);
  });
});

describe('messages and choices', () => {
  const Approval: Schema<unknown, { by: string }> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) =>
        typeof value === 'object' && value !== null && 'by' in value
          ? { value: value as { by: string } }
          : { issues: [{ message: 'must say by whom' }] },
    },
  };

  test('a message that does not match its schema is set aside, and the next one is taken', async () => {
    const kept = new KeptWaits();
    kept.messages.push({ id: '1', name: 'approve', payload: '{}' });
    kept.messages.push({ id: '2', name: 'approve', payload: '{"by":"ann"}' });
    const outcome = await turn(
      kept,
      async ({ receive }) => (await receive('approve', Approval)).by,
    );
    assert.equal(valueOf(outcome), 'ann');
    assert.equal(kept.messages[0]!.fault, '/: must say by whom');
  });

  test('first names its members by their keys, and says which was decided', async () => {
    const kept = new KeptWaits();
    const run: Run = async ({ first, receive, sleep, call }) => {
      const answer = await first('approval', {
        said: receive(Approval),
        late: sleep('3d'),
        other: call('ask', child, 1),
      });
      return answer.which === 'said' ? answer.value.by : answer.which;
    };
    assert.deepEqual(await turn(kept, run), { kind: 'suspend', waits: ['approval'] });
    const decide = kept.calls.at(-1)!;
    assert.equal(decide.do, 'decide');
    assert.deepEqual((decide as { waits: readonly WaitRequest[] }).waits, [
      {
        name: 'approval',
        kind: 'first',
        onLose: 'cancel',
        members: [
          { key: 'said', wait: { name: 'approval.said', kind: 'message', message: 'said' } },
          { key: 'late', wait: { name: 'approval.late', kind: 'time', delayMs: 259_200_000 } },
          { key: 'other', wait: { name: 'ask', kind: 'children' } },
        ],
      },
    ]);
    kept.messages.push({ id: '1', name: 'said', payload: '{"by":"bob"}' });
    assert.equal(valueOf(await turn(kept, run)), 'bob');
  });

  test('a wait without a name cannot be awaited by itself', async () => {
    const outcome = await turn(new KeptWaits(), async ({ sleep }) => {
      // @ts-expect-error -- only `first` has a name for it
      await sleep('3d'); // oxlint-disable-line typescript/await-thenable -- nor for the linter
    });
    assert.match(errorOf(outcome).message, /without a name can only be given to `first`/);
  });
});
