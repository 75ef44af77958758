// Two processes with the API and three with workers on one PostgreSQL, under load, while each of
// them is restarted and some are killed: clients that follow the rules notice nothing but delay.
// PAWL_ROLLING_ROUNDS makes it longer.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkHistory } from 'pawl/internal/check/check-history';
import type { SubmitOperation } from 'pawl/internal/check/history';
import { ApiClient } from 'pawl/client';
import type { JobEvent } from 'pawl/internal/core/event';
import { eventIdOf } from 'pawl/internal/core/ids';
import { systemTimers, type Timers } from 'pawl/internal/core/timers';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { readAll } from '../simulation/read-all.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { PlatformProcess } from './platform-process.ts';

const ROUNDS = Number(process.env['PAWL_ROLLING_ROUNDS'] ?? '1');
const PRODUCERS = 3;
/** How long a producer rests between two jobs. */
const PACE_MS = 50;
const TENANT = 'default';
const IDEMPOTENCY_MS = 86_400_000;

/** Waits as clients do, only shorter: how long they wait is not what is shown here. */
const impatient: Timers = {
  sleep: (ms, signal) => systemTimers.sleep(Math.min(ms, 50), signal),
};

const folder = mkdtempSync(join(tmpdir(), 'pawl-rolling-'));
const jobsModule = fileURLToPath(new URL('../fixtures/handlers/rolling.ts', import.meta.url));
const processes: PlatformProcess[] = [];
const [producing, reading] = [new AbortController(), new AbortController()];
const [server] = await postgresServers();
const database = await freshDatabase(server!);

after(async () => {
  producing.abort();
  reading.abort();
  await Promise.all(processes.map((one) => one.end('SIGKILL')));
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function startProcess(...flags: string[]): Promise<PlatformProcess> {
  const env = { DATABASE_URL: database.url, PAWL_JOBS: jobsModule, PAWL_DATA: folder };
  const started = new PlatformProcess({ flags, env });
  processes.push(started);
  await started.start();
  return started;
}

/** Sends jobs one after the other until it is told to stop; every request must succeed. */
async function produce(
  client: ApiClient,
  name: string,
  { stop, history }: { stop: AbortSignal; history: SubmitOperation[] },
): Promise<void> {
  for (let n = 0; !stop.aborted; n++) {
    const idempotencyKey = `${name}-${n}`;
    const asked = { type: 'count', input: { n }, correlationId: idempotencyKey };
    const { id: jobId } = await client.enqueue(asked, { idempotencyKey });
    const idempotency = { key: idempotencyKey, windowMs: IDEMPOTENCY_MS };
    const known = { tenant: TENANT, jobId, correlationId: idempotencyKey, idempotency };
    history.push({ kind: 'submit', outcome: 'ok', ...known });
    await systemTimers.sleep(PACE_MS, stop);
  }
}

/** Everything that a reader of the firehose was told, over all its connections. */
async function readFirehose(client: ApiClient, stop: AbortSignal, seen: string[]): Promise<void> {
  for await (const item of client.everything({ from: 'start' }, { signal: stop })) {
    assert.equal(item.kind, 'event');
    if (item.kind === 'event') seen.push(item.event.id);
  }
}

interface Followed {
  readonly id: string;
  readonly names: readonly string[];
}

/** Follows one job after the other, each from its first event to its end. */
async function followJobs(
  client: ApiClient,
  next: () => string | undefined,
  stop: AbortSignal,
): Promise<Followed[]> {
  const followed: Followed[] = [];
  while (!stop.aborted) {
    const id = next();
    const names: string[] = [];
    if (id === undefined) await systemTimers.sleep(PACE_MS, stop);
    else {
      for await (const item of client.events(id, { cursor: '0.0', signal: reading.signal })) {
        assert.equal(item.kind, 'event');
        if (item.kind === 'event') names.push(item.event.id);
      }
      followed.push({ id, names });
    }
  }
  return followed;
}

/** Each process in turn, while the others go on; then one of each kind without a warning. */
async function restartAll(apis: readonly PlatformProcess[], workers: readonly PlatformProcess[]) {
  for (const one of [...apis, ...workers]) {
    assert.equal(await one.end('SIGTERM'), 0);
    await one.start();
  }
  const killed = [apis[0]!, workers[0]!];
  assert.deepEqual(await Promise.all(killed.map((one) => one.end('SIGKILL'))), [null, null]);
  await Promise.all(killed.map((one) => one.start()));
}

interface Load {
  readonly history: readonly SubmitOperation[];
  /** The ids of the events that each reader of the firehose has seen, as they came. */
  readonly firehoses: readonly (readonly string[])[];
  /** Ends the producers, and resolves with what the followers saw once their jobs have ended. */
  stop(): Promise<readonly Followed[]>;
}

/** Half of the clients know the processes in the one order, half in the other. */
function startLoad(urls: readonly string[]): Load {
  const clients = Array.from({ length: 2 * PRODUCERS }, (_, index) => {
    const own = index % 2 === 0 ? urls : urls.toReversed();
    return new ApiClient({ url: own, timers: impatient, retriesMax: 200 });
  });
  const history: SubmitOperation[] = [];
  const told = { stop: producing.signal, history };
  const producers = clients
    .slice(0, PRODUCERS)
    .map((client, index) => produce(client, `p${index}`, told));
  const firehoses = clients.slice(0, 2).map((client) => {
    const seen: string[] = [];
    void readFirehose(client, reading.signal, seen);
    return seen;
  });
  let place = 0;
  const nextJob = (): string | undefined => {
    return place < history.length ? history[place++]!.jobId! : undefined;
  };
  const followers = clients
    .slice(PRODUCERS)
    .map((client) => followJobs(client, nextJob, producing.signal));
  const stop = async (): Promise<readonly Followed[]> => {
    producing.abort();
    await Promise.all(producers);
    return (await Promise.all(followers)).flat();
  };
  return { history, firehoses, stop };
}

/** Waits for the end of every job, and reads all that the platform has left behind. */
async function readPlatform(count: number): Promise<Awaited<ReturnType<typeof readAll>>> {
  const store = await openPostgresStore({ url: database.url, lifecycles });
  try {
    await eventually(
      'every job to end',
      async () => {
        const query = { tenant: TENANT, phase: 'succeeded', limit: 100_000 } as const;
        return (await store.list(query)).jobs.length === count;
      },
      PATIENT,
    );
    return await readAll(store, [TENANT]);
  } finally {
    await store.close();
  }
}

function idOf({ jobId, version, note }: JobEvent): string {
  return eventIdOf(jobId, version, note);
}

/** Far more than it needs: a machine that is busy with other things starts processes slowly. */
const timeout = 300_000 * (1 + ROUNDS);
const PATIENT = { timeoutMs: 120_000, everyMs: 50 };

test(
  '[P12, T9, R28] a rolling restart fails no request and loses nothing',
  { timeout },
  async () => {
    const ports = [await freePort(), await freePort()];
    const apis: PlatformProcess[] = [];
    for (const port of ports) {
      apis.push(await startProcess('--role', 'api,sweeper', '--port', String(port)));
    }
    const workers = await Promise.all([1, 2, 3].map(() => startProcess('--role', 'worker')));
    const load = startLoad(ports.map((port) => `http://127.0.0.1:${port}`));
    for (let round = 0; round < ROUNDS; round++) await restartAll(apis, workers);
    const followed = await load.stop();
    const { history } = load;

    const all = await readPlatform(history.length);
    assert.equal(new Set(history.map(({ jobId }) => jobId)).size, history.length);
    assert.deepEqual(checkHistory({ lifecycles, history, ...all }), []);
    const expected = all.events.map(idOf).toSorted();
    for (const seen of load.firehoses) {
      await eventually('the firehose to end', () => seen.length >= expected.length, PATIENT);
      assert.deepEqual(seen.toSorted(), expected);
    }
    const byJob = Map.groupBy(all.events, ({ jobId }) => jobId);
    for (const { id, names } of followed) assert.deepEqual(names, byJob.get(id)!.map(idOf), id);
    assert.ok(followed.length > 20 && history.length > 100, `${followed.length} ${history.length}`);
    const codes = await Promise.all([...apis, ...workers].map((one) => one.end('SIGTERM')));
    assert.deepEqual(codes, [0, 0, 0, 0, 0]);
  },
);
