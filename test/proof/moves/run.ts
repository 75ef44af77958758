import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { postgresCells, sqliteCells } from '../../support/moving-cells.ts';
import { MovingSite, TENANT } from '../../support/moving.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import type { Rung, Say } from '../figures.ts';

const MOVER = fileURLToPath(new URL('mover.ts', import.meta.url));
const STEPS = ['expected', 'copied', 'departed', 'taken', 'arrived'] as const;
const JOBS_A_MOVE = 25;
/** What has ended is checked, and set aside, after so many moves. */
const MOVES_A_ROUND = 20;

/** Stops a move right after a step. */
type Stop = (site: MovingSite, to: string, step: string) => Promise<void>;

interface Figures {
  moves: number;
  stopped: number;
  jobs: number;
  pauses: number[];
}

/** `npm run proof:moves -- --moves 200 --store sqlite,postgres`: a busy tenant, under kills. */
export const runMoves: Rung = async (options, say) => {
  const moves = options.number('moves', 200);
  const wanted = (options.text('store') ?? 'sqlite,postgres').split(',');
  const violations: string[] = [];
  const figures: Record<string, number | string> = {};
  const counts = { moves: 0, stopped: 0, jobs: 0 };
  const run = async (label: string, body: (done: Figures) => Promise<void>): Promise<void> => {
    const done: Figures = { moves: 0, stopped: 0, jobs: 0, pauses: [] };
    try {
      await body(done);
    } catch (error) {
      violations.push(`${label}: ${(error as Error).message}`);
    }
    counts.moves += done.moves;
    counts.stopped += done.stopped;
    counts.jobs += done.jobs;
    const sorted = done.pauses.toSorted((one, other) => one - other);
    const [median, max] = [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0];
    const pauses = `${Math.round(median)} median, ${Math.round(max)} at most`;
    figures[`${label}: moves`] = done.moves;
    figures[`${label}: movers stopped or killed`] = done.stopped;
    figures[`${label}: jobs, each succeeded once`] = done.jobs;
    figures[`${label}: pause, ms`] = pauses;
  };
  if (wanted.includes('sqlite')) await run('sqlite', (done) => onSqlite(moves, done, say));
  if (wanted.includes('postgres')) await run('postgres', (done) => onPostgres(moves, done, say));
  return { figures, violations, counts };
};

async function onSqlite(moves: number, done: Figures, say: Say): Promise<void> {
  for (let left = moves; left > 0; left -= MOVES_A_ROUND) {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-moves-'));
    const cells = await sqliteCells(folder);
    try {
      await round(new MovingSite(cells.sources), Math.min(left, MOVES_A_ROUND), done, throwAt);
    } finally {
      await cells.remove();
      rmSync(folder, { recursive: true, force: true });
    }
    say(`sqlite: ${done.moves} moves, ${done.jobs} jobs`);
  }
}

async function onPostgres(moves: number, done: Figures, say: Say): Promise<void> {
  const server = (await postgresServers()).at(-1)!;
  for (let left = moves; left > 0; left -= MOVES_A_ROUND) {
    const cells = await postgresCells(server);
    const kill: Stop = (_site, to, step) => killAt(cells.urls, to, step);
    try {
      await round(new MovingSite(cells.sources), Math.min(left, MOVES_A_ROUND), done, kill);
    } finally {
      await cells.remove();
    }
    say(`postgres: ${done.moves} moves, ${done.jobs} jobs`);
  }
}

/** Every second move is stopped at one of its steps, and asked for again. */
async function round(site: MovingSite, moves: number, done: Figures, stop: Stop): Promise<void> {
  try {
    await site.open();
    await site.open();
    for (const pawl of site.processes) pawl.work();
    await site.work(moves * JOBS_A_MOVE, async () => {
      for (let move = 0; move < moves; move++) {
        const to = await site.nextCell();
        const isStopped = move % 2 === 1;
        if (isStopped) await stop(site, to, STEPS[(move >> 1) % STEPS.length]!);
        const { pauseMs } = await site.cells.move(TENANT, to);
        done.stopped += Number(isStopped);
        done.moves += 1;
        if (pauseMs !== null && !isStopped) done.pauses.push(pauseMs);
      }
    });
    await site.check();
    done.jobs += new Set(site.made).size;
  } finally {
    await site.close();
  }
}

const throwAt: Stop = async (site, to, step) => {
  const stopped = new Error('stopped');
  const stop = (progress: { readonly step: string }): void => {
    if (progress.step === step) throw stopped;
  };
  await site.cells.move(TENANT, to, stop).catch((error: unknown) => {
    if (error !== stopped) throw error;
  });
};

async function killAt(
  urls: Readonly<Record<string, string>>,
  to: string,
  step: string,
): Promise<void> {
  const args = [MOVER, JSON.stringify(urls), to, step];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === step) child.kill('SIGKILL');
  }
  await ended;
}
