// What a transaction that stays open costs everybody else, side by side with nobody holding one.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/store.ts';
import { TENANT } from '../core/contender.ts';
import { Load } from '../long-run/load.ts';

export interface HeldOptions {
  /** For how long each is under load in one round, and how many rounds there are. */
  readonly sliceMs: number;
  readonly rounds: number;
  readonly perSecond: number;
}

/** One round of one database. */
export interface Slice {
  readonly livesPerSecond: number;
  readonly claimMs: readonly number[];
  /** Between an event's time and its arrival at somebody who follows the log. */
  readonly tailMs: readonly number[];
  readonly deadRows: number;
}

export interface Held {
  readonly holder: string;
  readonly slices: readonly Slice[];
}

type Hold = (client: pg.Client, load: Load) => Promise<void>;

/** Who holds a transaction open, from before the first round to the end. */
const HOLDERS: Readonly<Record<string, Hold>> = {
  nobody: async () => {},
  "a stranger's report, which has written": async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT pg_current_xact_id(), count(*) FROM pawl.meta');
  },
  "a caller's transaction, with a job enqueued": async (client, { engine }) => {
    await client.query('BEGIN');
    const caller = { tenant: TENANT, principal: null };
    await engine.enqueue([{ type: 'steady', input: null }], { caller, within: client });
  },
};

interface Site {
  readonly holder: string;
  readonly store: PostgresStore;
  readonly load: Load;
  readonly client: pg.Client;
  readonly slices: Slice[];
}

/** Databases of one server take turns, so that all have the same machine. */
export async function measureHeld(
  urls: readonly string[],
  options: HeldOptions,
  say: (text: string) => void,
): Promise<Held[]> {
  const sites: Site[] = [];
  for (const [index, [holder, hold]] of Object.entries(HOLDERS).entries()) {
    const url = urls[index]!;
    const store = await openPostgresStore({ url, lifecycles });
    const load = await Load.open(store, systemClock);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await load.runAtPace(1, 1);
    await hold(client, load);
    sites.push({ holder, store, load, client, slices: [] });
  }
  for (let round = 1; round <= options.rounds; round++) {
    say(`round ${round} of ${options.rounds}`);
    for (const site of sites) site.slices.push(await slice(site, options));
  }
  for (const { client, store } of sites) {
    await client.end();
    await store.close();
  }
  return sites.map(({ holder, slices }) => ({ holder, slices }));
}

async function slice({ store, load, client }: Site, options: HeldOptions): Promise<Slice> {
  load.takeClaimTimes();
  const state = { isDone: false };
  const following = follow(store, state);
  const began = performance.now();
  const jobs = Math.round((options.sliceMs / 1_000) * options.perSecond);
  await load.runAtPace(jobs, options.perSecond);
  const seconds = (performance.now() - began) / 1_000;
  state.isDone = true;
  const { rows } = await client.query<{ dead: number }>(
    `SELECT n_dead_tup::int AS dead FROM pg_stat_user_tables WHERE relid = 'pawl.live'::regclass`,
  );
  return {
    livesPerSecond: jobs / seconds,
    claimMs: load.takeClaimTimes(),
    tailMs: await following,
    deadRows: rows[0]!.dead,
  };
}

const LOOK_MS = 5;

async function follow(store: PostgresStore, state: { isDone: boolean }): Promise<number[]> {
  let { cursor } = await store.tail({ tenant: null, from: 'end', limit: 1 });
  const late: number[] = [];
  while (!state.isDone) {
    const page = await store.tail({ tenant: null, from: { cursor }, limit: 500 });
    const now = systemClock.now();
    for (const { event } of page.items) if (event.note === 0) late.push(now - event.at);
    cursor = page.cursor;
    if (page.items.length === 0) await sleep(LOOK_MS);
  }
  return late;
}
