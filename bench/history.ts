// What it costs to keep the history: jobs are drained for as long as the reader pauses between two
// rounds, and then counted from the log, in turns.
//   npm run bench:history -- --rounds 5 --store sqlite|postgres
// Counting is measured by itself and not beside the drain, so nothing of its cost can hide in idle
// time: the ratio is what a machine without a spare core would pay.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemTimers } from 'pawl/internal/core/timers';
import { HISTORY_EVERY_MS, HistoryReader } from 'pawl/internal/engine/history/reader';
import { silentLog } from 'pawl/internal/engine/context';
import { recordsOf } from 'pawl/internal/records/records';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { BenchEngine } from './core/engine-contender.ts';
import { startDurablePostgres } from './harness/durable-postgres.ts';
import { tableOf } from './harness/markdown.ts';
import { median } from './harness/statistics.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    store: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const BATCHES = [500, 20];
/** Enqueued at once, without being measured. */
const CHUNK = 5_000;
/** What the history may cost at most, as a share of the drain. */
const SHARE_MAX = 0.03;

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const from = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - from, cpuMs: (user + system) / 1_000 };
}

interface Round {
  readonly jobs: number;
  readonly drain: Cost;
  readonly count: Cost;
}

/** Until so much time was spent on it; says how many jobs that were. */
async function drain(engine: BenchEngine, batch: number): Promise<Omit<Round, 'count'>> {
  let [jobs, ms, cpuMs] = [0, 0, 0];
  while (ms < HISTORY_EVERY_MS) {
    for (let done = 0; done < CHUNK; done += 500) await engine.enqueue(engine.requests(500));
    const cost = await costOf(async () => {
      for (let done = 0; done < CHUNK;) {
        const claims = await engine.claim(batch);
        await engine.complete(claims);
        done += claims.length;
      }
    });
    [jobs, ms, cpuMs] = [jobs + CHUNK, ms + cost.ms, cpuMs + cost.cpuMs];
  }
  return { jobs, drain: { ms, cpuMs } };
}

async function measure(label: string, store: Store): Promise<string[][]> {
  const engine = await BenchEngine.open(store, 'history');
  const records = recordsOf(store);
  const reader = new HistoryReader({ store, records, log: silentLog }, { timers: systemTimers });
  const costs = new Map<number, Round[]>(BATCHES.map((one) => [one, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const batch of BATCHES) {
      const drained = await drain(engine, batch);
      const count = await costOf(() => reader.runOnce());
      // The first round warms up.
      if (round > 0) costs.get(batch)!.push({ ...drained, count });
    }
  }
  return [...costs].map(([batch, all]) => rowOf(label, batch, all));
}

function rowOf(label: string, batch: number, all: readonly Round[]): string[] {
  const share = (of: (cost: Cost) => number): number =>
    median(all.map((one) => of(one.count) / of(one.drain)));
  const perJob = (cost: (one: Round) => Cost): string =>
    median(all.map((one) => (1_000 * cost(one).ms) / one.jobs)).toFixed(2);
  const time = share(({ ms }) => ms);
  return [
    label,
    String(batch),
    perJob((one) => one.drain),
    perJob((one) => one.count),
    `${(100 * time).toFixed(2)} %`,
    `${(100 * share(({ cpuMs }) => cpuMs)).toFixed(2)} %`,
    time <= SHARE_MAX ? 'yes' : '**no**',
  ];
}

async function onSqlite(): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  const store = await openSqliteStore({
    path: join(folder, 'jobs.db'),
    lifecycles: builtInLifecycles,
  });
  try {
    return await measure('SQLite', store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<string[][]> {
  const server = await startDurablePostgres();
  if (server === null) throw new Error('no PostgreSQL found');
  const database = await freshDatabase(server);
  const store = await openPostgresStore({ url: database.url, lifecycles: builtInLifecycles });
  try {
    return await measure('PostgreSQL', store);
  } finally {
    await store.close();
    await database.drop();
    await server.stop();
  }
}

const rows = [
  ...(values.store === 'postgres' ? [] : await onSqlite()),
  ...(values.store === 'sqlite' ? [] : await onPostgres()),
];
const head = ['store', 'jobs a call', 'drain, µs a job', 'history, µs a job'];
console.log(tableOf([...head, 'share of the time', 'of the CPU here', 'at most 3 %'], rows));
