// Real servers and workers on a real PostgreSQL, clients, somebody who kills them, and a verdict.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkHistory } from '../../../src/check/check-history.ts';
import type { SubmitOperation } from '../../../src/check/history.ts';
import { SeededRandom } from '../../../src/core/random.ts';
import { systemTimers } from '../../../src/core/timers.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { freePort, PlatformProcess } from '../../chaos/platform-process.ts';
import { readAll } from '../../simulation/read-all.ts';
import { eventually } from '../../support/eventually.ts';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import type { Run } from './jobs.ts';
import { attack } from './nemesis.ts';
import { Producer, TENANT } from './producer.ts';

export interface FleetOptions {
  readonly seed: number;
  readonly apis: number;
  readonly workers: number;
  readonly producers: number;
  readonly paceMs: number;
  readonly faultsMax: number;
  readonly isTimeLeft: () => boolean;
}

/** In the words in which queues are usually reported on. */
export interface FleetReport {
  readonly attempted: number;
  readonly acknowledged: number;
  /** Acknowledged, and done in the end. */
  readonly ok: number;
  readonly lost: number;
  /** There, though the client was told that it is not, or never asked. */
  readonly unexpected: number;
  /** Runs that came to their end although another run of the same job had. */
  readonly duplicated: number;
  /** There, though the client never got an answer. */
  readonly recovered: number;
  readonly leasesLost: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
}

const PATIENT = { timeoutMs: 180_000, everyMs: 200 };
const jobsModule = fileURLToPath(new URL('jobs.ts', import.meta.url));

export async function runUnderAttack(options: FleetOptions): Promise<FleetReport> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-fleet-'));
  const [server] = (await postgresServers()).toReversed();
  const database = await freshDatabase(server!);
  const ledger = join(folder, 'ledger.jsonl');
  const processes: PlatformProcess[] = [];
  const start = async (flags: readonly string[]): Promise<PlatformProcess> => {
    const env = { DATABASE_URL: database.url, PAWL_JOBS: jobsModule, PAWL_DATA: folder };
    const one = new PlatformProcess({ flags, env: { ...env, PROOF_LEDGER: ledger } });
    processes.push(one);
    await one.start();
    return one;
  };
  try {
    const ports = await Promise.all(Array.from({ length: options.apis }, freePort));
    const apis: PlatformProcess[] = [];
    for (const port of ports) {
      apis.push(await start(['--role', 'api,sweeper', '--port', String(port)]));
    }
    const crew = Array.from({ length: options.workers }, () => start(['--role', 'worker']));
    const fleet = { apis, workers: await Promise.all(crew), databaseUrl: database.url };
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const { history, faults } = await underLoad(fleet, urls, options);
    return await judge(database.url, { history, faults, ledger });
  } finally {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function underLoad(
  fleet: Parameters<typeof attack>[0],
  urls: readonly string[],
  { seed, producers: count, paceMs, faultsMax, isTimeLeft }: FleetOptions,
) {
  const stop = new AbortController();
  const producers = Array.from(
    { length: count },
    (_, index) => new Producer(`p${index}`, urls, seed * 100 + index),
  );
  const work = producers.map((one) => one.run({ paceMs, stop: stop.signal }));
  try {
    // Some peace first, so that there is something to lose.
    await systemTimers.sleep(1_000, stop.signal);
    const random = new SeededRandom(seed);
    const faults = await attack(fleet, { random, isTimeLeft, faultsMax });
    return { faults, history: producers.flatMap(({ history }) => history) };
  } finally {
    stop.abort();
    await Promise.all(work);
  }
}

async function judge(
  url: string,
  left: {
    history: readonly SubmitOperation[];
    faults: ReadonlyMap<string, number>;
    ledger: string;
  },
): Promise<FleetReport> {
  const store = await openPostgresStore({ url, lifecycles });
  try {
    const isDone = async () => (await store.tally(TENANT)).length === 0;
    await eventually('every job to end', isDone, PATIENT);
    const all = await readAll(store, [TENANT]);
    const { history, faults } = left;
    const violations = checkHistory({ lifecycles, ...all, history }).map(
      ({ invariant, jobId, message }) => `${invariant} ${jobId}: ${message}`,
    );
    const byId = new Map(all.jobs.map((job) => [job.id, job]));
    const acknowledged = new Set(
      history.flatMap(({ outcome, jobId }) => (outcome === 'ok' ? [jobId!] : [])),
    );
    const asked = new Set(
      history.flatMap(({ outcome, correlationId: mark }) => (outcome === 'fail' ? [] : [mark])),
    );
    const ends = endsOf(left.ledger);
    const succeeded = all.jobs.filter(({ phase }) => phase === 'succeeded');
    for (const { id } of succeeded) {
      if (!ends.has(id)) violations.push(`I16 ${id} succeeded, and nobody ran it to its end`);
    }
    const unfinished = [...acknowledged].filter((id) => byId.get(id)?.phase !== 'succeeded');
    for (const id of unfinished) violations.push(`I20 ${id} did not succeed`);
    return {
      attempted: history.length,
      acknowledged: acknowledged.size,
      ok: acknowledged.size - unfinished.length,
      lost: [...acknowledged].filter((id) => !byId.has(id)).length,
      unexpected: all.jobs.filter(({ correlationId }) => !asked.has(correlationId)).length,
      duplicated: [...ends.values()].reduce((sum, count) => sum + count - 1, 0),
      recovered: all.jobs.filter(({ id }) => !acknowledged.has(id)).length,
      leasesLost: all.events.filter(({ cause }) => cause === 'lease_expired').length,
      faults,
      violations,
    };
  } finally {
    await store.close();
  }
}

function endsOf(ledger: string): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  if (!existsSync(ledger)) return ends;
  for (const line of readFileSync(ledger, 'utf8').split('\n').slice(0, -1)) {
    const { jobId, what } = JSON.parse(line) as Run;
    if (what === 'ended') ends.set(jobId, (ends.get(jobId) ?? 0) + 1);
  }
  return ends;
}
