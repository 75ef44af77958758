// A platform under steady work of every kind for as long as asked, looked at from outside.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { ApiClient } from 'pawl/client';
import { systemTimers } from 'pawl/internal/core/timers';
import { PlatformProcess } from '../../chaos/platform-process.ts';
import { freePort } from '../../support/free-port.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly perSecond: number;
  readonly everyMs: number;
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** What is charted: one number each time somebody looks. */
export const MEASURES = [
  'memory MiB',
  'handles',
  'threads',
  'notes a recent job',
  'log rows a job',
  'database bytes a job',
] as const;

export type Measure = (typeof MEASURES)[number];

export interface SoakReport {
  readonly made: number;
  readonly looks: readonly Readonly<Record<Measure, number>>[];
  readonly violations: readonly string[];
}

const jobsModule = fileURLToPath(new URL('jobs.ts', import.meta.url));
const never = new AbortController().signal;
const PRODUCERS = 4;

/** So long notes are kept here, and until the next sweep. */
const KEPT_MS = 150_000;

/** What may go soon goes soon, so that a soak sees it go; jobs stay for a day at least. */
const ENV = {
  PAWL_BUILTIN: 'off',
  PAWL_JOBS: jobsModule,
  PAWL_RETENTION_JOBS: '24h',
  PAWL_RETENTION_NOTES: '2m',
  PAWL_RETENTION_FEED: '2m',
  PAWL_RETENTION_FIRES: '2m',
  PAWL_RETENTION_DEAD_LETTERS: '2m',
};

const KINDS = ['quick', 'quick', 'quick', 'quick', 'talkative', 'quick', 'doomed', 'quick'];

interface Soaked {
  readonly url: string;
  readonly options: SoakOptions;
  /** How many jobs had been made by then, at each look. */
  readonly past: { readonly at: number; readonly made: number }[];
  /** What was refused, and how often. */
  readonly refusals: Map<string, number>;
  isOver: boolean;
  made: number;
}

/** Refusals are counted: a platform that does no work would be flat, too. */
async function call(
  { url, refusals }: Soaked,
  path: string,
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { method, headers, ...sent });
  const text = await answer.text();
  // What is to be cancelled may have ended by itself.
  if (answer.ok || (answer.status === 409 && path.endsWith('/cancel'))) return text;
  const what = `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}: ${answer.status}`;
  refusals.set(what, (refusals.get(what) ?? 0) + 1);
  return text;
}

/** Jobs of every kind, some with keys, some cancelled at once, some waited for. */
async function produce(soaked: Soaked): Promise<void> {
  const { options } = soaked;
  const began = performance.now();
  while (!soaked.isOver) {
    const due = ((performance.now() - began) * options.perSecond) / 1_000;
    if (soaked.made >= due) {
      await systemTimers.sleep(20, never);
      continue;
    }
    const n = (soaked.made += 1);
    const type = KINDS[n % KINDS.length]!;
    const body = { type, input: { n } };
    const answer = await call(soaked, '/v1/jobs', { method: 'POST', body });
    const { id } = JSON.parse(answer) as { id: string };
    if (n % 50 === 0) await call(soaked, `/v1/jobs/${id}/cancel`, { method: 'POST', body: {} });
    if (n % 20 === 0) await call(soaked, `/v1/jobs/${id}?waitMs=2000`);
  }
}

/** Readers that come, take some events, and go; and clients that ask for pages. */
async function read(soaked: Soaked): Promise<void> {
  const client = new ApiClient({ url: soaked.url });
  while (!soaked.isOver) {
    const stop = new AbortController();
    let taken = 0;
    for await (const item of client.everything({}, { signal: stop.signal })) {
      taken += Number(item.kind === 'event');
      if (taken >= 50 || soaked.isOver) break;
    }
    stop.abort();
    for (const path of ['jobs?limit=100', 'dlq', 'queues', 'slo', 'types']) {
      await call(soaked, `/v1/${path}`);
    }
  }
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder).filter((file) => file.startsWith('pawl.db'));
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

function countRows(folder: string, table: 'jobs' | 'notes' | 'log'): number {
  const db = new DatabaseSync(join(folder, 'pawl.db'), { readOnly: true });
  try {
    return Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!['rows']);
  } finally {
    db.close();
  }
}

function countIn(path: string): number {
  return existsSync(path) ? readdirSync(path).length : 0;
}

/** How many jobs came while what is kept now was written: the pace is not always the same. */
function recentJobs({ made, past }: Soaked): number {
  const now = performance.now();
  past.push({ at: now, made });
  const before = past.findLast(({ at }) => at <= now - KEPT_MS)?.made ?? 0;
  return Math.max(1, made - before);
}

async function look(soaked: Soaked, pid: number): Promise<Record<Measure, number>> {
  const text = await call(soaked, '/metrics');
  const metric = (name: string): number =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1] ?? 0);
  const { folder } = soaked.options;
  const recent = recentJobs(soaked);
  return {
    'memory MiB': metric('process_resident_memory_bytes') / 2 ** 20,
    handles: countIn(`/proc/${pid}/fd`) || metric('process_open_fds'),
    threads: countIn(`/proc/${pid}/task`),
    'notes a recent job': countRows(folder, 'notes') / recent,
    'log rows a job': countRows(folder, 'log') / Math.max(1, soaked.made),
    'database bytes a job': bytesIn(folder) / Math.max(1, soaked.made),
  };
}

async function watch(soaked: Soaked, pid: number): Promise<Record<Measure, number>[]> {
  const { minutes, everyMs, say } = soaked.options;
  const looks: Record<Measure, number>[] = [];
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    await systemTimers.sleep(everyMs, never);
    const seen = await look(soaked, pid);
    looks.push(seen);
    const told = MEASURES.map((name) => `${name} ${seen[name].toFixed(1)}`);
    say(`  ${soaked.made} jobs made; ${told.join(', ')}`);
  }
  return looks;
}

/** Nothing that was accepted may be left lying when the work has stopped coming. */
async function settle(soaked: Soaked): Promise<string[]> {
  const until = performance.now() + 60_000;
  for (;;) {
    const answer = await call(soaked, '/v1/queues');
    const { items } = JSON.parse(answer) as { items: { phases: Record<string, number> }[] };
    const open = items.flatMap(({ phases }) => Object.values(phases));
    const left = open.reduce((sum, count) => sum + count, 0);
    if (left === 0) return [];
    if (performance.now() > until) return [`${left} jobs have not ended a minute after the last`];
    await systemTimers.sleep(200, never);
  }
}

/** Jobs are kept for a day: all that were accepted are there, and those of the schedule. */
function findLost({ options, made, refusals }: Soaked): string[] {
  const refused = [...refusals].map(([what, times]) => `${what} was refused ${times} times`);
  const kept = countRows(options.folder, 'jobs');
  return kept >= made ? refused : [...refused, `${made} jobs were made, ${kept} are there`];
}

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const port = await freePort();
  const env = { ...ENV, PAWL_DATA: options.folder };
  const server = new PlatformProcess({ flags: ['--port', String(port)], env });
  await server.start();
  const url = `http://127.0.0.1:${port}`;
  const soaked = { url, options, past: [], refusals: new Map(), isOver: false, made: 0 };
  try {
    const schedule = {
      rule: { kind: 'interval', everyMs: 1_000 },
      job: { type: 'quick', input: { n: 1 } },
    };
    await call(soaked, '/v1/schedules/tick', { method: 'PUT', body: schedule });
    const producers = Array.from({ length: PRODUCERS }, () => produce(soaked));
    const working = Promise.all([...producers, read(soaked), read(soaked)]);
    // Work ends by itself only when it cannot be done any more.
    const looks = await Promise.race([watch(soaked, server.pid), working.then(() => [])]);
    soaked.isOver = true;
    await working;
    await call(soaked, '/v1/schedules/tick', { method: 'DELETE' });
    const left = await settle(soaked);
    return { made: soaked.made, looks, violations: [...left, ...findLost(soaked)] };
  } finally {
    soaked.isOver = true;
    await server.end('SIGKILL');
  }
}
