// A flow whose processes are killed again and again: each child ends once, and the parent once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkHistory } from 'pawl/internal/check/check-history';
import { SeededRandom } from 'pawl/internal/core/random';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { readAll } from '../../simulation/read-all.ts';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';

export const FLOW_KILLED = { tenant: 'acme', id: '01890000-0000-7000-8000-000000000001' };

/** It dies after so many turns at most. */
const TURNS_MAX = 60;
const VICTIM = fileURLToPath(new URL('victim.ts', import.meta.url));

export interface KillReport {
  readonly kills: number;
  readonly problems: readonly string[];
}

/** Where a flow is kept, and how many processes work on it. */
interface Place {
  readonly name: string;
  readonly processes: number;
  open(): Promise<Store>;
  remove(): Promise<void>;
}

/** One process owns the file. */
async function onSqlite(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-kills-'));
  const name = join(folder, 'jobs.db');
  return {
    name,
    processes: 1,
    open: () => openFlowStore(name),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Two processes, which die together. */
async function onPostgres(): Promise<Place> {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  return {
    name: database.url,
    processes: 2,
    open: () => openFlowStore(database.url),
    remove: () => database.drop(),
  };
}

export async function openFlowStore(name: string): Promise<Store> {
  const lifecycles = builtInLifecycles;
  if (name.startsWith('postgres')) return openPostgresStore({ url: name, lifecycles });
  return openSqliteStore({ path: name, lifecycles, mode: 'inline' });
}

export interface KillOptions {
  readonly store: 'sqlite' | 'postgres';
  readonly children: number;
  readonly kills: number;
  readonly seed: number;
}

export async function killFlow(asked: KillOptions): Promise<KillReport> {
  const place = await (asked.store === 'sqlite' ? onSqlite() : onPostgres());
  const random = new SeededRandom(asked.seed);
  try {
    let kills = 0;
    while (kills < asked.kills && (await runUntilKilled(place, asked.children, random))) kills += 1;
    await runToEnd(place, asked.children);
    return { kills, problems: await judge(place, asked.children) };
  } finally {
    await place.remove();
  }
}

function start({ name, processes }: Place, children: number): ChildProcess[] {
  const args = [VICTIM, name, String(children)];
  return Array.from({ length: processes }, () =>
    spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
}

/** False: the flow came to its end before it could be killed. */
async function runUntilKilled(
  place: Place,
  children: number,
  random: SeededRandom,
): Promise<boolean> {
  const victims = start(place, children);
  const exits = victims.map((victim) => once(victim, 'exit'));
  let left = 1 + random.below(TURNS_MAX);
  for (const { stdout } of victims) {
    stdout!.on('data', (told: Buffer) => {
      left -= told.toString().split('\n').length - 1;
      if (left <= 0) for (const victim of victims) victim.kill('SIGKILL');
    });
  }
  const ends = (await Promise.all(exits)) as [number | null, string | null][];
  return ends.every(([, signal]) => signal === 'SIGKILL');
}

async function runToEnd(place: Place, children: number): Promise<void> {
  const exits = start(place, children).map((victim) => once(victim, 'exit'));
  const ends = (await Promise.all(exits)) as [number | null][];
  const bad = ends.find(([code]) => code !== 0);
  if (bad !== undefined) throw new Error(`one of the last processes ended with ${bad[0]}`);
}

async function judge(place: Place, children: number): Promise<string[]> {
  const store = await place.open();
  try {
    const all = await readAll(store, [FLOW_KILLED.tenant]);
    const laws = checkHistory({ lifecycles: builtInLifecycles, ...all });
    const problems = laws.map((one) => `${one.invariant} ${one.jobId}: ${one.message}`);
    const parent = all.jobs.find(({ id }) => id === FLOW_KILLED.id)!;
    const born = all.jobs.filter(({ type }) => type === 'child');
    const keys = new Set(born.map(({ awaitedBy }) => awaitedBy!.key));
    const good = born.filter(({ phase }) => phase === 'succeeded').length;
    if (born.length !== children || keys.size !== children) {
      problems.push(`${born.length} children under ${keys.size} keys, not ${children}`);
    }
    if (good !== children) problems.push(`${good} children succeeded, not ${children}`);
    const counts = JSON.stringify({ total: children, succeeded: children, failed: 0 });
    if (parent.result !== counts) problems.push(`the parent ended with ${parent.result}`);
    return problems;
  } finally {
    await store.close();
  }
}
