// What hangs delays nothing else.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { jobWhen } from '../../../test/support/job-when.ts';
import { DEFAULT_SETTINGS } from '../src/gateway/settings.ts';
import type { Provider } from '../src/gateway/provider.ts';
import { TurnBounds } from '../src/gateway/turn-bounds.ts';
import { type Instance, openInstance } from './provider/instance.ts';
import { openSimulator, type ProviderSimulator } from './provider/simulator.ts';

const BOUNDS = { process_forwards_max: 2, process_polls_max: 2 };

async function open(
  t: TestContext,
  statuses: readonly string[],
): Promise<Instance & { simulator: ProviderSimulator }> {
  const simulator = await openSimulator({ processes: ['echo', 'slow'], statuses });
  const settings = { url: simulator.url, poll_interval: 0.05, ...BOUNDS };
  const instance = await openInstance({ providers: { sim: settings } });
  t.after(async () => {
    // What hangs would be waited for.
    await simulator.close();
    await instance.close();
  });
  return { ...instance, simulator };
}

async function begin({ execute }: Instance, process: string, count: number): Promise<void> {
  for (let made = 0; made < count; made++) await execute(process, { inputs: { made } });
}

test('a process whose executions hang delays no other of its provider', async (t) => {
  const opened = await open(t, ['successful']);
  const { simulator, pawl, execute } = opened;
  simulator.on('POST /processes/slow/execution', 'hang');
  await begin(opened, 'sim:slow', 40);
  const hung = (): number => simulator.count('POST /processes/slow/');
  await simulator.news.until('as many hang as may', () => hung() === 2);
  assert.equal((await pawl.ended(await execute('sim:echo', {}))).state, 'successful');
  assert.equal(hung(), 2, 'no more than its bound');
});

test('executions that hang delay no poll of the same process', async (t) => {
  const opened = await open(t, ['running']);
  const { simulator, pawl, execute } = opened;
  const first = await execute('sim:echo', {});
  await jobWhen(pawl.engine, first, ({ state }) => state === 'running');
  simulator.on('POST /processes/echo/execution', 'hang');
  await begin(opened, 'sim:echo', 40);
  await simulator.news.until('they hang', () => simulator.count('POST /') === 3);
  simulator.statuses = ['successful'];
  assert.equal((await pawl.ended(first)).state, 'successful');
});

test('polls that hang delay no execution of the same process', async (t) => {
  const opened = await open(t, ['running']);
  const { simulator, execute } = opened;
  simulator.on('GET /jobs/*', 'hang');
  await begin(opened, 'sim:echo', 10);
  await simulator.news.until('all are sent', () => simulator.count('POST /') === 10);
  await simulator.news.until('they hang', () => simulator.count('GET /jobs/') === 2);
  await execute('sim:echo', {});
  await simulator.news.until('it is sent', () => simulator.count('POST /') === 11);
  assert.equal(simulator.count('GET /jobs/'), 2, 'no more than their bound');
});

test('after lost answers one list of jobs is read at a time, however many are in doubt', async (t) => {
  const opened = await open(t, ['successful']);
  const { simulator, pawl, execute } = opened;
  const first = Promise.withResolvers<null>();
  simulator.on('POST /processes/echo/execution', 'reset', 'reset', (): null => null);
  simulator.on(
    'GET /jobs',
    () => first.promise,
    () => null,
  );
  const jobs = [await execute('sim:echo', { inputs: { a: 1 } })];
  await simulator.news.until('one is looked for', () => simulator.count('GET /jobs?') === 1);
  jobs.push(await execute('sim:echo', { inputs: { a: 2 } }));
  await jobWhen(pawl.engine, jobs[1]!, ({ phase }) => phase === 'waiting');
  assert.equal(simulator.count('GET /jobs?'), 1, 'the other is put off and holds no slot');
  first.resolve(null);
  for (const job of jobs) assert.equal((await pawl.ended(job)).state, 'successful');
});

test('what finds no room comes again when those before it may be through', () => {
  let now = 0;
  const bounds = new TurnBounds({ now: () => now });
  const settings = { ...DEFAULT_SETTINGS, forwardsMax: 3, processForwardsMax: 2 };
  const provider = { name: 'p', settings } as Provider;
  const enter = (process: string) => bounds.enter(provider, process, 'forward');
  const [first] = [enter('a'), enter('a')];
  now = 1_000;
  const waits = Array.from({ length: 5 }, () => {
    const entry = enter('a');
    return entry.kind === 'full' ? entry.waitMs : null;
  });
  assert.deepEqual(waits, [1_000, 1_000, 2_000, 2_000, 3_000]);
  assert.equal(bounds.enter(provider, 'a', 'poll').kind, 'entered', 'polls have their own bound');
  assert.equal(enter('b').kind, 'entered');
  assert.equal(enter('b').kind, 'full', 'the bound of the provider');
  if (first?.kind === 'entered') first.leave();
  assert.equal(enter('a').kind, 'entered');
});
