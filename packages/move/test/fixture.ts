// A platform that jobs are moved to, and `pawl move` as a process that can be killed at a step.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { ApiClient } from 'pawl/client';
import type { JobJson } from 'pawl/internal/contract/job';
import { cliPath } from '../../../test/cli/pawl-command.ts';
import { childEnvironment } from '../../../scripts/run/child-environment.ts';

const JOBS = fileURLToPath(new URL('jobs.ts', import.meta.url));

export interface MoveRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the process dies: before its batch reaches the platform, or before it hears of the end. */
export type KillAt = 'before acceptance' | 'before the answer';

export interface MoveFixture {
  readonly folder: string;
  readonly client: ApiClient;
  /** Runs `pawl move` with these words, in a folder whose packages it finds. */
  move(words: readonly string[], folder?: string): Promise<MoveRun>;
  /** Runs it and kills it with SIGKILL at its first batch. */
  moveKilled(words: readonly string[], killAt: KillAt, folder?: string): Promise<void>;
  /** The jobs that came from elsewhere since `begin`, at their ends if they can end. */
  moved(): Promise<JobJson[]>;
  /** What is here now is no longer looked at. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

function start(words: readonly string[], url: string, folder: string): ChildProcess {
  return spawn(process.execPath, [cliPath, 'move', ...words], {
    cwd: folder,
    env: { ...childEnvironment, PAWL_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(words: readonly string[], url: string, folder: string): Promise<MoveRun> {
  const child = start(words, url, folder);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code] = await ended;
  return { code, stdout, stderr };
}

async function forward(url: string, request: IncomingMessage): Promise<Response> {
  const headers = new Headers();
  for (const name of ['content-type', 'idempotency-key'] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, String(value));
  }
  const body = request.method === 'GET' ? null : new Uint8Array(await buffer(request));
  return fetch(`${url}${request.url}`, { method: request.method!, headers, body });
}

async function killedAt(killAt: KillAt, url: string, begin: (url: string) => ChildProcess) {
  const children: ChildProcess[] = [];
  const kill = (): void => children.forEach((child) => child.kill('SIGKILL'));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isBatch = request.url === '/v1/jobs/batch';
    if (isBatch && killAt === 'before acceptance') return kill();
    const reply = await forward(url, request);
    const body = await reply.text();
    if (isBatch) return kill();
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(body);
  };
  const proxy = createServer((request, response) => void answer(request, response));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const child = begin(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  children.push(child);
  const said = text(child.stderr!);
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  proxy.closeAllConnections();
  proxy.close();
  if (signal !== 'SIGKILL') throw new Error(`it ended before it could be killed: ${await said}`);
}

async function everyJob(client: ApiClient): Promise<JobJson[]> {
  const jobs: JobJson[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await client.jobs(cursor === '' ? { limit: 200 } : { limit: 200, cursor });
    jobs.push(...page.items);
    cursor = page.nextCursor;
  }
  return jobs;
}

/** A platform on SQLite with a worker. */
export async function openMoveFixture(): Promise<MoveFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-move-'));
  const env = { PORT: '0', PAWL_DATA: join(folder, 'data'), PAWL_JOBS: JOBS };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  const { url } = platform;
  const client = new ApiClient({ url });
  const seen = new Set<string>();
  return {
    client,
    folder,
    move: (words, cwd = folder) => run(words, url, cwd),
    moveKilled: (words, killAt, cwd = folder) =>
      killedAt(killAt, url, (proxy) => start(words, proxy, cwd)),
    begin: async () => {
      for (const { id } of await everyJob(client)) seen.add(id);
    },
    moved: async () => {
      const isMoved = ({ id, metadata }: JobJson): boolean =>
        !seen.has(id) && Object.hasOwn(metadata ?? {}, 'movedFrom');
      const jobs = (await everyJob(client)).filter(isMoved);
      const isDue = ({ runAt }: JobJson): boolean => Date.parse(runAt) <= Date.now();
      return Promise.all(
        jobs.map(async (job) => (isDue(job) ? client.waitForEnd(job.id) : Promise.resolve(job))),
      );
    },
    close: async () => {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The JSON lines of a run that say something of this sort. */
export function factsOf<Fact>({ stdout }: MoveRun, what: 'kind' | 'schedule' | 'refusal'): Fact[] {
  const lines = stdout.trimEnd().split('\n').filter(Boolean);
  const facts = lines.map((line) => JSON.parse(line) as { what: string });
  return facts.filter((fact) => fact.what === what) as Fact[];
}

/** Where a moved job came from. */
export interface Origin {
  readonly system: string;
  readonly id: string;
  readonly attemptsMade: number;
  readonly attemptsMax: number;
  readonly key?: string;
}

export function originOf(job: JobJson): Origin {
  return (job.metadata as { movedFrom: Origin }).movedFrom;
}
