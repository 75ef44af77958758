import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from './batcher.ts';

interface Bench {
  readonly batcher: Batcher<string, string>;
  readonly runs: string[][];
  /** Lets the oldest statement under way be answered, or fail. */
  readonly answer: (error?: Error) => Promise<void>;
}

function bench(): Bench {
  const runs: string[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const batcher = new Batcher<string, string>({
    run: async (items) => {
      runs.push([...items]);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return items.map((item) => item.toUpperCase());
    },
    keysOf: (item) => [item],
    isSeparable: (error) => (error as Error).message === 'bad item',
    isImpatience: (error) => (error as Error).message === 'locked',
  });
  const answer = async (error?: Error): Promise<void> => {
    const gate = gates.shift()!;
    if (error) gate.reject(error);
    else gate.resolve();
    await new Promise((done) => process.nextTick(done));
  };
  return { batcher, runs, answer };
}

test('calls that come while a statement is under way share the next one', async () => {
  const { batcher, runs, answer } = bench();
  const calls = [batcher.add(['a']), batcher.add(['b', 'c']), batcher.add(['d'])];
  assert.deepEqual(runs, [['a']]);
  await answer();
  assert.deepEqual(runs, [['a'], ['b', 'c', 'd']]);
  await answer();
  assert.deepEqual(await Promise.all(calls), [['A'], ['B', 'C'], ['D']]);
});

test('two calls that touch the same thing never share a statement', async () => {
  const { batcher, runs, answer } = bench();
  const calls = [batcher.add(['x']), batcher.add(['a']), batcher.add(['a']), batcher.add(['b'])];
  await answer();
  await answer();
  await answer();
  await Promise.all(calls);
  assert.deepEqual(runs, [['x'], ['a'], ['a', 'b']]);
});

test('when one item is bad, each call of the batch runs again on its own', async () => {
  const { batcher, runs, answer } = bench();
  const first = batcher.add(['a']);
  const calls = [batcher.add(['b']), batcher.add(['c'])];
  await answer();
  await answer(new Error('bad item'));
  assert.deepEqual(runs.slice(2), [['b'], ['c']]);
  await answer(new Error('bad item'));
  await answer();
  assert.deepEqual(await first, ['A']);
  await assert.rejects(calls[0]!, /bad item/);
  assert.deepEqual(await calls[1], ['C']);
});

test('a call that waits for a lock does so aside, and the next batch goes on', async () => {
  const { batcher, runs, answer } = bench();
  const slow = batcher.add(['a']);
  const next = batcher.add(['b']);
  await answer(new Error('locked'));
  assert.deepEqual(runs, [['a'], ['a'], ['b']]);
  await answer();
  await answer();
  assert.deepEqual(await Promise.all([slow, next]), [['A'], ['B']]);
});

test('what concerns the whole database is told to every call of the batch', async () => {
  const { batcher, runs, answer } = bench();
  const first = batcher.add(['a']);
  const calls = [batcher.add(['b']), batcher.add(['c'])];
  await answer();
  await answer(new Error('lost'));
  await first;
  for (const call of calls) await assert.rejects(call, /lost/);
  assert.equal(runs.length, 2);
});

test('nothing to do is done at once', async () => {
  assert.deepEqual(await bench().batcher.add([]), []);
});
