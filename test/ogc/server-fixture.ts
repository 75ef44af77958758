// OGC API – Processes on a server that listens: a real store, real workers, calls over the wire.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { openMemoryArtifacts } from '../../src/artifact/memory.ts';
import { newLinkKey } from '../../src/artifact/link-keys.ts';
import { home } from '../../src/app/dashboard.ts';
import { openOgc } from '../../src/app/ogc.ts';
import { readOgcSettings } from '../../src/app/ogc-settings.ts';
import { Authenticator } from '../../src/auth/authenticator.ts';
import { OPEN_CREDENTIAL } from '../../src/auth/credential.ts';
import { createKey } from '../../src/auth/manage-keys.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { Artifacts } from '../../src/engine/artifacts.ts';
import { largeSource, valuesIn } from '../../src/engine/by-reference.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { SHARED_TENANT } from '../../src/engine/registry.ts';
import { Sweeper } from '../../src/engine/sweeps/sweeper.ts';
import { type JobDefinition, typeDefinitionOf } from '../../src/handler/define-job.ts';
import { buildServer } from '../../src/http/server.ts';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { openWorker } from '../../src/worker/open-worker.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  readonly json: any;
}

export interface OgcServer {
  readonly url: string;
  readonly engine: Engine;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  call(method: string, path: string, headers?: Record<string, string>): Promise<Answer>;
  /** A key of a tenant, as a header; only where credentials are asked for. */
  key(tenant: string): Promise<Record<string, string>>;
}

export interface OgcServerOptions {
  readonly jobs?: readonly JobDefinition[];
  readonly env?: NodeJS.ProcessEnv;
  readonly isLocked?: boolean;
  /** False: nothing is worked on, so that jobs stay where they are. */
  readonly isWorking?: boolean;
  /** Places that are not public and may be reached all the same; this machine unless given. */
  readonly allow?: readonly string[];
}

/** Generated clients are strict: what is not known must be left out of what this API says. */
function refuseNulls(url: string, json: unknown): void {
  if (!/^\/(?:jobs|processes|conformance)?(?:\/|$)/.test(new URL(url).pathname)) return;
  assert.doesNotMatch(JSON.stringify(json), /:null[,}]/, `${url} has a null`);
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : null;
  refuseNulls(url, json);
  return { status: response.status, headers: response.headers, text, json };
}

async function openParts(): Promise<EngineContext> {
  const lifecycles = builtInLifecycles;
  const store = await openSqliteStore({ path: ':memory:', lifecycles, mode: 'inline' });
  const ids = systemIds(systemClock);
  return openContext({ store, lifecycles, random: systemRandom, ids });
}

/** What works behind the server, and in which order it stops. */
async function startWork(
  { context, engine }: { context: EngineContext; engine: Engine },
  { jobs = [], isWorking = true }: OgcServerOptions,
) {
  for (const job of jobs) {
    await engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
  }
  const access = new Artifacts(context, { files: openMemoryArtifacts(systemClock) });
  const pollMs = { minMs: 5, maxMs: 50 };
  const source = largeSource(engine, valuesIn(access));
  const worker = openWorker({ source, jobs, artifacts: access, pollMs });
  const sweeper = new Sweeper(context, { timers: systemTimers });
  if (isWorking) sweeper.start();
  if (isWorking && jobs.length > 0) worker.start();
  const stop = async (): Promise<void> => {
    await worker.drain();
    await sweeper.stop();
  };
  return { artifacts: { access, keys: [newLinkKey()], clock: systemClock }, stop };
}

export async function openOgcServer(options: OgcServerOptions = {}): Promise<OgcServer> {
  const { jobs = [], env = {}, isLocked = false, isWorking = true } = options;
  const context = await openParts();
  const engine = new Engine(context);
  const { store } = context;
  const { artifacts, stop } = await startWork({ context, engine }, options);
  const outgoing = createOutgoing({ allow: options.allow ?? ['127.0.0.0/8'] });
  const log = { warn: () => undefined };
  const settings = readOgcSettings(env);
  const taken = jobs.map(({ type }) => type);
  const ogc = await openOgc(engine, { artifacts, outgoing, settings, log, taken });
  const access = { accessKeys: engine.accessKeys, clock: systemClock, tokens: null };
  const app = await buildServer({
    engine,
    doctor: context,
    slo: context,
    artifacts,
    authenticator: isLocked ? new Authenticator(access) : null,
    load: { lagMsMax: Number.POSITIVE_INFINITY },
    more: [...ogc.routes, home(ogc.landing)],
  });
  await ogc.start(new Set(isWorking ? ['api', 'worker', 'sweeper'] : ['api']));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  after(async () => {
    await engine.live.stop();
    await app.close();
    await ogc.stop();
    await stop();
    await outgoing.close();
    await store.close();
  });
  return {
    url,
    engine,
    ...callsTo(url),
    key: async (tenant) => {
      const wish = { name: tenant, roles: ['admin' as const], tenant };
      const made = await createKey(engine, OPEN_CREDENTIAL, wish);
      return { authorization: `Bearer ${made.text}` };
    },
  };
}

function callsTo(url: string): Pick<OgcServer, 'get' | 'post' | 'call'> {
  return {
    get: (path, headers = {}) => send(url + path, { headers }),
    call: (method, path, headers = {}) => send(url + path, { method, headers }),
    post: (path, body, headers = {}) => {
      const json = { 'content-type': 'application/json', ...headers };
      return send(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    },
  };
}

/** The path of an address of that server. */
export function pathOf(server: OgcServer, href: string): string {
  if (!href.startsWith(`${server.url}/`)) throw new Error(`${href} is not of ${server.url}`);
  return href.slice(server.url.length);
}
