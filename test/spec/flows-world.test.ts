// Flows as users write them, on the real engine and worker, with a clock that is moved by hand.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  defineJob,
  isSuspended,
  item,
  type JobDefinition,
  type JobHandle,
  PermanentError,
  typed,
} from '../../src/index.ts';
import { openWorld, type World } from '../../src/testing/world.ts';

const region = defineJob('region', {
  input: typed<{ name: string }>(),
  maxAttempts: 1,
  run: ({ input }) => {
    if (input.name === 'bad') throw new PermanentError('no such region');
    return { name: input.name, sales: input.name.length };
  },
});

const whole = defineJob('whole', {
  input: typed<{ regions: string[] }>(),
  async run({ input, stage, callAll }) {
    const names = await stage('plan', () => input.regions);
    const inputs = names.map((name) => ({ name }));
    const parts = await callAll('regions', region, inputs, {
      key: ({ name }) => name,
      onFailure: 'collect',
    });
    let total = 0;
    for await (const part of parts.results()) if (part.ok) total += part.result.sales;
    return { total, failed: parts.counts.failed };
  },
});

async function stateOf(job: JobHandle): Promise<string> {
  return (await job.snapshot()).state;
}

describe('a job that waits for jobs', () => {
  test('gets their results, and spends one attempt on all its turns', async () => {
    await using world = await openWorld({ jobs: [region, whole] });
    const job = await world.enqueue(whole, { regions: ['north', 'south', 'bad'] });
    assert.deepEqual(await job.result(), { total: 10, failed: 1 });
    assert.equal((await job.snapshot()).attempts, 1);
    const events = (await world.history(job)).map(({ type }) => type);
    assert.ok(events.includes('job_suspended') && events.includes('job_woken'), events.join());
  });

  test('holds no slot while it waits: a world with one slot runs any depth', async () => {
    const sum: JobDefinition<number, number> = defineJob('sum', {
      input: typed<number>(),
      run: async ({ input, call }): Promise<number> =>
        input === 0 ? 0 : input + (await call('rest', sum, input - 1)),
    });
    await using world = await openWorld({ jobs: [sum], slots: 1 });
    assert.equal(await (await world.enqueue(sum, 10)).result(), 55);
  });

  test('fails with the first errors of those that failed, unless it says otherwise', async () => {
    const strict = defineJob('strict', {
      run: async ({ callAll }) => {
        await callAll('parts', region, [{ name: 'bad' }, { name: 'good' }], {
          key: ({ name }) => name,
        });
      },
    });
    await using world = await openWorld({ jobs: [region, strict] });
    const job = await world.enqueue(strict);
    const { state, error, attempts } = await job.ended();
    assert.deepEqual([state, error?.class, attempts], ['failed', 'ChildrenFailed', 1]);
    assert.match(error!.message, /1 of 2 jobs of "parts".*PermanentError: no such region/);
  });

  test('survives crashes of its worker with each child once', async () => {
    let runs = 0;
    const child = defineJob('child', { run: () => ++runs });
    const parent = defineJob('parent', {
      run: async ({ call }) => [await call('a', child), await call('b', child)],
    });
    await using world = await openWorld({ jobs: [child, parent] });
    const job = await world.enqueue(parent);
    await world.begin();
    await world.crashWorker();
    assert.deepEqual(await job.result(), [1, 2]);
    assert.equal(runs, 2);
  });

  test('is refused a kept name with another input', async () => {
    let name = 'north';
    const parent = defineJob('parent', {
      run: async ({ call, sleep }) => {
        await call('part', region, { name });
        await sleep('pause', '1h');
      },
    });
    await using world = await openWorld({ jobs: [region, parent] });
    const job = await world.enqueue(parent);
    await world.runUntilIdle();
    name = 'south';
    await world.clock.advance('1h');
    const { error } = await job.ended();
    assert.deepEqual([error?.code, error?.retryable], ['WAIT_CHANGED', false]);
  });
});

describe('a job that waits for time and messages', () => {
  const approval = defineJob('approval', {
    maxAttempts: 1,
    async run({ first, receive, sleep }) {
      const answer = await first('answer', {
        said: receive('approve', typed<{ by: string }>()),
        late: sleep('give-up', '3d'),
      });
      if (answer.which === 'late') throw new PermanentError('nobody answered');
      return answer.value.by;
    },
  });

  async function asked(): Promise<{ world: World; job: JobHandle<string> }> {
    const world = await openWorld({ jobs: [approval] });
    const job = await world.enqueue(approval);
    await world.runUntilIdle();
    return { world, job };
  }

  test('three days of sleep take no time', async () => {
    const { world, job } = await asked();
    await world.clock.advance('2d');
    await world.runUntilIdle();
    assert.equal((await job.snapshot()).completedAt, null);
    await world.clock.advance('1d');
    const { error } = await job.ended();
    assert.equal(error?.message, 'nobody answered');
    await world.close();
  });

  test('a message wakes it, one of a key counts once, and the timer is out of the way', async () => {
    const { world, job } = await asked();
    const first = await job.send('approve', { by: 'ann' }, { key: 'answer' });
    const again = await job.send('approve', { by: 'ben' }, { key: 'answer' });
    assert.deepEqual([first.isNew, again.isNew, again.id], [true, false, first.id]);
    assert.equal(await job.result(), 'ann');
    await world.clock.advance('3d');
    assert.equal(await stateOf(job), 'succeeded');
    await world.close();
  });

  test('a message that came before its wait is kept', async () => {
    const late = defineJob('late', {
      run: async ({ sleep, receive }) => {
        await sleep('first', '1h');
        return [await receive('one'), await receive('two', { message: 'one' })];
      },
    });
    await using world = await openWorld({ jobs: [late] });
    const job = await world.enqueue(late);
    await job.send('one', 1);
    await job.send('one', 2);
    await world.runUntilIdle();
    await world.clock.advance('1h');
    assert.deepEqual(await job.result(), [1, 2]);
  });

  test('what catches the suspension and goes on changes nothing', async () => {
    let seen = 0;
    const careless = defineJob('careless', {
      run: async ({ sleep }) => {
        try {
          await sleep('nap', '1h');
          return 'slept';
        } catch (thrown) {
          if (isSuspended(thrown)) seen += 1;
          return 'did not sleep';
        }
      },
    });
    await using world = await openWorld({ jobs: [careless] });
    const job = await world.enqueue(careless);
    await world.runUntilIdle();
    await world.clock.advance('1h');
    assert.deepEqual([await job.result(), seen], ['slept', 1]);
  });
});

describe('a graph', () => {
  test('runs each job after those that it needs', async () => {
    const order: string[] = [];
    const step = defineJob('step', {
      input: typed<string>(),
      run: ({ input }) => void order.push(input),
    });
    await using world = await openWorld({ jobs: [step] });
    const graph = await world.enqueueGraph({
      publish: item(step, 'publish', { after: ['load', 'check'] }),
      load: item(step, 'load', { after: ['extract'] }),
      check: item(step, 'check', { after: ['load'] }),
      extract: item(step, 'extract'),
    });
    await graph.publish.result();
    assert.deepEqual(order, ['extract', 'load', 'check', 'publish']);
  });

  test('refuses circles and names that are none, with nothing made', async () => {
    const step = defineJob('step', { input: typed<string>(), run: () => null });
    await using world = await openWorld({ jobs: [step] });
    await assert.rejects(
      world.enqueueGraph({
        a: item(step, 'a', { after: ['b'] }),
        b: item(step, 'b', { after: ['a'] }),
      }),
      { code: 'VALIDATION_ERROR', message: /wait for each other/ },
    );
    const wrong = { a: item(step, 'a', { after: ['nobody'] }) };
    // @ts-expect-error -- the compiler says so too
    await assert.rejects(world.enqueueGraph(wrong), { message: /"nobody" is none/ });
    assert.deepEqual((await world.jobs()).items, []);
  });
});

test('the tree of a job shows what it waits for, with progress', async () => {
  const parent = defineJob('parent', {
    run: async ({ callAll, receive }) => {
      await callAll('parts', region, [{ name: 'a' }, { name: 'b' }], { key: ({ name }) => name });
      await receive('go');
    },
  });
  await using world = await openWorld({ jobs: [region, parent] });
  const job = await world.enqueue(parent);
  await world.runUntilIdle();
  const { type, waits } = await job.tree();
  assert.equal(type, 'parent');
  const parts = waits.find(({ name }) => name === 'parts')!;
  assert.deepEqual(parts.counts, { total: 2, succeeded: 2, failed: 0, open: 0 });
  assert.deepEqual(
    parts.jobs.map(({ key, state }) => [key, state]),
    [
      ['a', 'succeeded'],
      ['b', 'succeeded'],
    ],
  );
  const go = waits.find(({ name }) => name === 'go')!;
  assert.deepEqual([go.kind, go.isOpen], ['message', true]);
});
