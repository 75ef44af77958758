import pg from 'pg';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { LEASE } from '../core/contender.ts';
import { conditionsOf } from '../harness/durable-postgres.ts';
import { connectionsOf, type Place, places, read } from './gauge.ts';
import { type Cost, differenceOf, Lives, measureLives, TENANT, TYPE } from './lives.ts';
import { between, type Traffic, WatchedPool } from './wire.ts';

export interface CostsOptions {
  /** Jobs that are measured by the hundred; a fifth as many by ten, a tenth one by one. */
  readonly jobs: number;
}

/** What it costs to remove dead rows and to freeze what is kept, a job. */
export type Upkeep = Pick<Cost, 'walBytes' | 'serverCpuMs'>;

/** What goes between a worker on the database and its server, a call of one verb. */
export interface WireCost extends Traffic {
  readonly verb: string;
  readonly batch: number;
}

export interface Costs {
  readonly conditions: string;
  readonly costs: readonly Cost[];
  /** Bytes a job that has ended and is kept. */
  readonly kept: readonly Place[];
  /** Bytes of a renewal that the history keeps. */
  readonly noteBytes: number;
  readonly vacuum: Upkeep;
  readonly freezing: Upkeep;
  /** Rows of `live` that die with a job, its renewals left out. */
  readonly deadRows: number;
  readonly wire: readonly WireCost[];
  readonly callers: Callers;
}

/** Many callers of one process, one job a call. */
export interface Callers {
  readonly connections: number;
  /** Transactions a job: calls that come while one is under way share the next. */
  readonly xids: number;
}

interface Bench {
  readonly engine: Engine;
  readonly client: pg.Client;
}

export function bytesOf(all: readonly Place[]): number {
  return all.reduce((sum, { bytes, indexBytes }) => sum + bytes + indexBytes, 0);
}

function grown(before: readonly Place[], after: readonly Place[], jobs: number): Place[] {
  const old = new Map(before.map((place) => [place.table, place]));
  return after
    .map(({ table, bytes, indexBytes }) => ({
      table,
      bytes: (bytes - (old.get(table)?.bytes ?? 0)) / jobs,
      indexBytes: (indexBytes - (old.get(table)?.indexBytes ?? 0)) / jobs,
    }))
    .filter(({ bytes, indexBytes }) => bytes + indexBytes >= 10);
}

const CALLERS = 64;
const CALLS_EACH = 20;

/** Sixty-four callers at once, so that the pool is as wide as it gets. */
async function widest({ engine, client }: Bench): Promise<Callers> {
  const jobs = CALLERS * CALLS_EACH;
  const lives = new Lives(engine);
  const before = await read(client);
  const callers = Array.from({ length: CALLERS }, () =>
    lives.enqueue({ batch: 1, jobs: CALLS_EACH }),
  );
  await Promise.all(callers);
  const { xids } = differenceOf(before, await read(client), jobs);
  const connections = await connectionsOf(client);
  await lives.complete(await lives.claim({ batch: 100, jobs }), 100);
  return { connections, xids };
}

async function upkeepOf(client: pg.Client, sql: string, jobs: number): Promise<Upkeep> {
  const before = await read(client);
  await client.query(sql);
  const { walBytes, serverCpuMs } = differenceOf(before, await read(client), jobs);
  return { walBytes, serverCpuMs };
}

/** An engine of its own on the database, with the type that is measured. */
export async function engineOn(where: { url: string } | { pool: pg.Pool }) {
  const store = await openPostgresStore({ ...where, lifecycles: builtInLifecycles });
  const ids = systemIds(systemClock);
  const engine = new Engine(
    openContext({ store, lifecycles: builtInLifecycles, random: systemRandom, ids }),
  );
  await engine.putType({ tenant: TENANT, type: TYPE }, { lifecycle: 'task', lease: LEASE });
  return { engine, store };
}

const WIRE_CALLS = 50;
const WARM = { batch: 10, jobs: 20 };
/** Jobs that the calls below end, and renewals among them. */
const WIRE_RENEWALS = WIRE_CALLS * (10 + 1);
const WIRE_JOBS = WIRE_RENEWALS + WARM.jobs;

/** What each verb sends and receives, and how often it waits for an answer. */
async function wireCosts(url: string): Promise<WireCost[]> {
  const watched = new WatchedPool(url);
  const { engine, store } = await engineOn({ pool: watched.pool });
  const lives = new Lives(engine);
  const costs: WireCost[] = [];
  const watch = async <Answer>(verb: string, batch: number, work: () => Promise<Answer>) => {
    const before = watched.traffic;
    const answer = await work();
    costs.push({ verb, batch, ...between(before, watched.traffic, WIRE_CALLS) });
    return answer;
  };
  await lives.enqueue(WARM);
  await lives.complete(await lives.claim(WARM), WARM.batch);
  for (const batch of [10, 1]) {
    const turn = { batch, jobs: WIRE_CALLS * batch };
    await watch('enqueue', batch, () => lives.enqueue(turn));
    const claims = await watch('claim', batch, () => lives.claim(turn));
    await watch('renewal', batch, () => lives.renew(claims, batch));
    await watch('complete', batch, () => lives.complete(claims, batch));
  }
  await watch('empty claim', 1, () => lives.claimNothing(WIRE_CALLS));
  await store.close();
  await watched.pool.end();
  return costs;
}

/** A session counts what it did before it leaves the list, so the count waits for all to leave. */
async function deadRowsOf(client: pg.Client): Promise<number> {
  while ((await connectionsOf(client)) > 0) await client.query('SELECT pg_sleep(0.02)');
  const { rows } = await client.query<{ n: string }>(
    `SELECT n_tup_upd + n_tup_del AS n FROM pg_stat_user_tables
     WHERE schemaname = 'pawl' AND relname = 'live'`,
  );
  return Number(rows[0]!.n);
}

type InProcess = Omit<Costs, 'conditions' | 'deadRows' | 'wire'>;

/** Lives without renewals, and what vacuum does for them. */
async function liveQuietly(
  { engine, client }: Bench,
  jobs: number,
): Promise<Pick<Costs, 'vacuum' | 'freezing'>> {
  const lives = new Lives(engine);
  const turn = { batch: 100, jobs };
  await lives.enqueue(turn);
  await lives.complete(await lives.claim(turn), turn.batch);
  const vacuum = await upkeepOf(client, 'VACUUM pawl.live', jobs);
  await client.query('VACUUM');
  return { vacuum, freezing: await upkeepOf(client, 'VACUUM (FREEZE)', jobs) };
}

async function measureVerbs(bench: Bench, jobs: number): Promise<InProcess> {
  const { client } = bench;
  // What is cold is thrown away, and a checkpoint now keeps one from falling into the middle.
  await measureLives(bench, { batch: 100, jobs: 500 });
  await client.query('VACUUM');
  await client.query('CHECKPOINT');
  const before = await places(client);
  const { vacuum, freezing } = await liveQuietly(bench, jobs);
  const quiet = await places(client);
  const kept = grown(before, quiet, jobs).filter(({ table }) => table !== 'live');
  const many = await measureLives(bench, { batch: 100, jobs });
  // Each job was renewed once with something to say and once without.
  const notes = grown(quiet, await places(client), 2 * jobs);
  const some = await measureLives(bench, { batch: 10, jobs: Math.ceil(jobs / 5) });
  const single = await measureLives(bench, { batch: 1, jobs: Math.ceil(jobs / 10) });
  const costs = [...many, ...some, ...single];
  const noteBytes = bytesOf(notes.filter(({ table }) => table === 'notes'));
  return { costs, kept, noteBytes, vacuum, freezing, callers: await widest(bench) };
}

async function measureVerbsOn(
  url: string,
  { client, jobs }: { readonly client: pg.Client; readonly jobs: number },
): Promise<InProcess> {
  const { engine, store } = await engineOn({ url });
  try {
    return await measureVerbs({ engine, client }, jobs);
  } finally {
    await store.close();
  }
}

/** Measures on an empty database of the given server. */
export async function measureCosts(
  server: { readonly url: string },
  { jobs }: CostsOptions,
): Promise<Costs> {
  const database = await freshDatabase(server);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const verbs = await measureVerbsOn(database.url, { client, jobs });
    const died = await deadRowsOf(client);
    const wire = await wireCosts(database.url);
    const deadRows = ((await deadRowsOf(client)) - died - WIRE_RENEWALS) / WIRE_JOBS;
    return { conditions: await conditionsOf(client), ...verbs, deadRows, wire };
  } finally {
    await client.end();
    await database.drop();
  }
}
