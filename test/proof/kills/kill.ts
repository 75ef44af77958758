// A flow whose process is killed again and again: each child ends once, and the parent once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkHistory } from '../../../src/check/check-history.ts';
import { SeededRandom } from '../../../src/core/random.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { readAll } from '../../simulation/read-all.ts';

export const FLOW_KILLED = { tenant: 'acme', id: '01890000-0000-7000-8000-000000000001' };

/** It dies after so many turns at most. */
const TURNS_MAX = 60;
const VICTIM = fileURLToPath(new URL('victim.ts', import.meta.url));

export interface KillReport {
  readonly kills: number;
  readonly problems: readonly string[];
}

export async function killFlow(asked: {
  readonly children: number;
  readonly kills: number;
  readonly seed: number;
}): Promise<KillReport> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-kills-'));
  const path = join(folder, 'jobs.db');
  const random = new SeededRandom(asked.seed);
  try {
    let kills = 0;
    while (kills < asked.kills && (await runUntilKilled(path, asked.children, random))) kills += 1;
    await runToEnd(path, asked.children);
    return { kills, problems: await judge(path, asked.children) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function start(path: string, children: number) {
  const args = [VICTIM, path, String(children)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** False: the flow came to its end before it could be killed. */
async function runUntilKilled(
  path: string,
  children: number,
  random: SeededRandom,
): Promise<boolean> {
  const victim = start(path, children);
  const exit = once(victim, 'exit');
  let left = 1 + random.below(TURNS_MAX);
  victim.stdout.on('data', (told: Buffer) => {
    left -= told.toString().split('\n').length - 1;
    if (left <= 0) victim.kill('SIGKILL');
  });
  const [, signal] = (await exit) as [number | null, string | null];
  return signal === 'SIGKILL';
}

async function runToEnd(path: string, children: number): Promise<void> {
  const [code] = (await once(start(path, children), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the last process ended with ${code}`);
}

async function judge(path: string, children: number): Promise<string[]> {
  const store = await openSqliteStore({ path, lifecycles: builtInLifecycles, mode: 'inline' });
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
