// Instances on one PostgreSQL: killed for real, and polling the same jobs side by side.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTerminal } from 'pawl/internal/core/phase';
import { eventually } from '../../../test/support/eventually.ts';
import {
  type FreshDatabase,
  freshDatabase,
} from '../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../test/support/postgres/servers.ts';
import { openInstance } from './provider/instance.ts';
import { openSimulator } from './provider/simulator.ts';
import { executionOf, openTrappedSimulator, STEPS } from './provider/trapped-simulator.ts';

const JOBS = Number(process.env['PAWL_TEST_REMOTE_JOBS'] ?? 500);
const artifacts = mkdtempSync(join(tmpdir(), 'pawl-gateway-'));
const children: ChildProcess[] = [];
let database: FreshDatabase;

before(async () => {
  const [server] = await postgresServers();
  database = await freshDatabase(server!);
});

after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database.drop();
  rmSync(artifacts, { recursive: true, force: true });
});

async function startProcess(providers: object): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('provider/gateway-process.ts', import.meta.url));
  const args = [program, database.url, artifacts, JSON.stringify(providers)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { stdout } = child;
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    stdout.on('data', (text: Buffer) => (text.includes('ready') ? resolve() : undefined));
    child.on('exit', () => reject(new Error('the instance ended before it was ready')));
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

test('[O23] kill -9 at every step of an execution at once: each job reaches its right end', async () => {
  const { simulator, reached } = await openTrappedSimulator();
  const { url } = simulator;
  const providers = {
    careful: { url, poll_interval: 0.1, in_doubt: 'fail' },
    probing: { url, poll_interval: 0.1 },
  };
  const isIdle = { isWorking: false, isSweeping: false };
  const idle = await openInstance({ database: database.url, artifacts, providers, ...isIdle });
  const first = await startProcess(providers);
  const jobs = await Promise.all(
    STEPS.map((step) =>
      idle.execute(`${step === 'doubt' ? 'careful' : 'probing'}:${step}`, { inputs: {} }),
    ),
  );
  const isThere = (): boolean => reached.size === STEPS.length;
  await simulator.news.until('every step is reached', isThere);
  await kill(first);
  const second = await startProcess(providers);
  const ended = await Promise.all(jobs.map((job) => idle.pawl.ended(job)));
  assert.deepEqual(
    ended.map(({ state, error }) => error?.code ?? state),
    ['FORWARD_IN_DOUBT', 'successful', 'successful', 'successful', 'successful'],
  );
  for (const step of STEPS) {
    assert.equal(simulator.count(executionOf(step)), 1, `${step} was sent once`);
  }
  assert.equal(simulator.jobs.size, STEPS.length, 'no remote job was lost or made twice');
  await kill(second);
  await idle.close();
  await simulator.close();
});

test(`[O13, O15, O23] two instances poll ${JOBS} jobs, and never one of them twice`, async () => {
  const simulator = await openSimulator({ statuses: ['running', 'running', 'successful'] });
  const polls = new Map<string, string[]>();
  simulator.on('GET /jobs/*', ({ path, headers }) => {
    polls.set(path, [...(polls.get(path) ?? []), String(headers['x-instance'])]);
    return null;
  });
  const auth = (key: string): object => ({ type: 'api_key', header: 'X-Instance', key });
  const pair = await Promise.all(
    ['one', 'two'].map((name) =>
      openInstance({
        database: database.url,
        artifacts,
        providers: { fleet: { url: simulator.url, poll_interval: 1, auth: auth(name) } },
        isSweeping: false,
      }),
    ),
  );
  const [one, two] = pair;
  const jobs = [];
  for (let made = 0; made < JOBS; made += 100) {
    const size = Math.min(100, JOBS - made);
    const wishes = Array.from({ length: size }, () => one!.execute('fleet:echo', { inputs: {} }));
    jobs.push(...(await Promise.all(wishes)));
  }
  const left = new Set(jobs.map(({ id }) => id));
  const isDone = async (): Promise<boolean> => {
    const refs = [...left].slice(0, 500).map((id) => ({ tenant: 'default', id }));
    for (const job of await two!.pawl.engine.find(refs)) {
      if (job && isTerminal(job.phase)) left.delete(job.id);
    }
    return left.size === 0;
  };
  await eventually('all have ended', isDone, { timeoutMs: 590_000, everyMs: 200 });
  const rows = await two!.pawl.engine.find(jobs);
  assert.deepEqual(new Set(rows.map((job) => job!.state)), new Set(['successful']));
  assert.equal(simulator.count('POST /'), JOBS);
  assert.equal(simulator.overlaps, 0);
  const counts = [...polls.values()].map((all) => all.length);
  assert.deepEqual([counts.length, new Set(counts)], [JOBS, new Set([3])], 'three polls each');
  const who = new Set([...polls.values()].flat());
  assert.deepEqual(who, new Set(['one', 'two']), 'both took part');
  const heapMb = Math.round(process.memoryUsage().heapUsed / 1024 / 1024);
  process.stdout.write(`# ${JOBS} jobs, ${simulator.seen.length} requests, heap ${heapMb} MB\n`);
  await Promise.all(pair.map((instance) => instance.close()));
  await simulator.close();
});
