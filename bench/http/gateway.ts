import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { Remote } from '../harness/remote.ts';
import { inTurns } from '../harness/turns.ts';
import type { Ground } from './ground.ts';
import type { GatewayLoad, HttpOptions } from './options.ts';
import type { Polled, ProviderVerbs } from './provider.ts';
import { type ServerProcess, startServer } from './server.ts';

/** Remote jobs of one run, from the first execution until all have ended. */
export interface Forwarded extends Polled {
  readonly forwardedPerSecond: number;
  readonly pollsPerSecond: number;
  /** CPU of the server from the first execution to the last end, µs a poll; null if not known. */
  readonly cpuMicros: number | null;
}

export interface GatewayRun {
  readonly store: string;
  readonly runs: readonly Forwarded[];
}

const CONNECTIONS = 64;
const LOOK_MS = 250;
const PATIENCE_MS = 600_000;

/** Every repeat has a server, a database and a provider of its own. */
export async function measureGateway(
  grounds: readonly Ground[],
  { gateway: load, repeats }: HttpOptions,
  say: (text: string) => void,
): Promise<GatewayRun[]> {
  const results = grounds.map((ground) => ({
    ground,
    store: ground.name,
    runs: [] as Forwarded[],
  }));
  await inTurns(results, repeats, async ({ ground, runs }) => {
    say(`${ground.name}: ${load.jobs} remote jobs`);
    runs.push(await runOnce(ground, load));
  });
  return results.map(({ store, runs }) => ({ store, runs }));
}

async function runOnce(ground: Ground, load: GatewayLoad): Promise<Forwarded> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-gateway-'));
  const provider = new Remote<ProviderVerbs>(new URL('provider.ts', import.meta.url));
  let server: ServerProcess | null = null;
  try {
    const url = await provider.ask('open', load.statuses);
    const path = join(folder, 'providers.json');
    const providers = { far: { url, poll_interval: load.pollSeconds } };
    writeFileSync(path, JSON.stringify({ providers }));
    const env = { PAWL_OGC_PROVIDERS: path, PAWL_OUTGOING_ALLOW: '127.0.0.1' };
    server = await startServer(await ground.plot(), env);
    return await forward(server, provider, load);
  } finally {
    await server?.stop();
    await provider.ask('close', null);
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function forward(
  server: ServerProcess,
  provider: Remote<ProviderVerbs>,
  { jobs, statuses }: GatewayLoad,
): Promise<Forwarded> {
  const pool = new Pool(server.url, { connections: CONNECTIONS });
  try {
    const ask = caller(pool, server.key);
    const before = server.usage().cpuMicros;
    const began = performance.now();
    let left = jobs;
    const client = async (): Promise<void> => {
      while (left-- > 0) await ask('POST', '/processes/far:echo/execution', 201);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    const forwardedPerSecond = (jobs * 1_000) / (performance.now() - began);
    await polledAll(provider, jobs * statuses.length);
    await ended(ask);
    const after = server.usage().cpuMicros;
    const polled = await provider.ask('look', null);
    if (polled.jobs !== jobs || polled.polls < jobs * statuses.length) {
      throw new Error(`${polled.jobs} of ${jobs} jobs had ${polled.polls} polls`);
    }
    const pollsPerSecond = (polled.polls * 1_000) / (polled.lastAt - polled.firstAt);
    const cpuMicros = before === null || after === null ? null : (after - before) / polled.polls;
    return { ...polled, forwardedPerSecond, pollsPerSecond, cpuMicros };
  } finally {
    await pool.close();
  }
}

/** Looking at the server meanwhile would be work for it; the provider only counts. */
async function polledAll(provider: Remote<ProviderVerbs>, polls: number): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while ((await provider.ask('count', null)) < polls) {
    if (performance.now() > until) throw new Error(`fewer than ${polls} polls have come`);
    await sleep(LOOK_MS);
  }
}

type Ask = (method: 'GET' | 'POST', path: string, status: number) => Promise<unknown>;

function caller(pool: Pool, key: string): Ask {
  return async (method, path, status) => {
    const { statusCode, body } = await pool.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        prefer: 'respond-async',
      },
      body: method === 'GET' ? null : '{"inputs":{}}',
    });
    const text = await body.text();
    if (statusCode !== status) throw new Error(`${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  };
}

const OPEN = ['ready', 'leased', 'executing', 'waiting'];

/** Nothing is open any more, and nothing went wrong. */
async function ended(ask: Ask): Promise<void> {
  const count = async (phase: string): Promise<number> => {
    const page = (await ask('GET', `/v1/jobs?limit=1&phase=${phase}`, 200)) as { items: unknown[] };
    return page.items.length;
  };
  const until = performance.now() + PATIENCE_MS;
  for (let left = 1; left > 0; await sleep(LOOK_MS)) {
    if (performance.now() > until) throw new Error('jobs are still open');
    left = 0;
    for (const phase of OPEN) left += await count(phase);
  }
  if ((await count('failed')) > 0) throw new Error('a remote job has failed');
}
