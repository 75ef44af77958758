// OGC API – Processes on a server that listens: a real store, real workers, calls over the wire.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { openMemoryArtifacts } from 'pawl/internal/artifact/memory';
import { newLinkKey } from 'pawl/internal/artifact/link-keys';
import { Authenticator } from '@pawl/server/internal/auth/authenticator';
import { OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { createKey, type KeyWish } from '@pawl/server/internal/auth/manage-keys';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import { Artifacts } from 'pawl/internal/engine/artifacts';
import { largeSource, valuesIn } from 'pawl/internal/engine/by-reference';
import type { EngineContext } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { buildServer } from '@pawl/server/internal/http/server';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { startOgc } from './plugin-fixture.ts';

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
  /** As it is closed anyway once the tests have ended. */
  close(): Promise<void>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  call(method: string, path: string, headers?: Record<string, string>): Promise<Answer>;
  /** A key of a tenant, as a header; only where credentials are asked for. */
  key(tenant: string, wish?: Partial<KeyWish>): Promise<Record<string, string>>;
}

export interface OgcServerOptions {
  readonly jobs?: readonly JobDefinition[];
  readonly env?: NodeJS.ProcessEnv;
  readonly isLocked?: boolean;
  /** The file of the store; in memory unless given. */
  readonly path?: string;
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

async function openParts(path: string): Promise<EngineContext> {
  const lifecycles = builtInLifecycles;
  const store = await openSqliteStore({ path, lifecycles, mode: 'inline' });
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
  const context = await openParts(options.path ?? ':memory:');
  const engine = new Engine(context);
  const { store } = context;
  const { artifacts, stop } = await startWork({ context, engine }, options);
  const outgoing = createOutgoing({ allow: options.allow ?? ['127.0.0.0/8'] });
  const taken = new Set(jobs.map(({ type }) => type));
  const { records } = store;
  const ogc = await startOgc({ engine, artifacts, outgoing, records, env, taken, isWorking });
  const access = { accessKeys: engine.accessKeys, clock: systemClock, tokens: null };
  const app = await buildServer({
    engine,
    doctor: context,
    slo: context,
    artifacts,
    authenticator: isLocked ? new Authenticator(access) : null,
    load: { lagMsMax: Number.POSITIVE_INFINITY },
    more: ogc.routes,
  });
  await ogc.begin();
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  let stopped: Promise<void> | null = null;
  const stopAll = async (): Promise<void> => {
    await engine.live.stop();
    await app.close();
    await ogc.stop();
    await stop();
    await outgoing.close();
    await store.close();
  };
  const close = (): Promise<void> => (stopped ??= stopAll());
  after(close);
  return {
    close,
    url,
    engine,
    ...callsTo(url),
    key: async (tenant, wish = {}) => {
      const whole = { name: tenant, roles: ['admin' as const], tenant, ...wish };
      const made = await createKey(engine, OPEN_CREDENTIAL, whole);
      return { authorization: `Bearer ${made.text}` };
    },
  };
}

function callsTo(url: string): Pick<OgcServer, 'get' | 'post' | 'put' | 'call'> {
  const write =
    (method: string): OgcServer['post'] =>
    (path, body, headers = {}) => {
      const json = { 'content-type': 'application/json', ...headers };
      return send(url + path, { method, headers: json, body: JSON.stringify(body) });
    };
  return {
    get: (path, headers = {}) => send(url + path, { headers }),
    call: (method, path, headers = {}) => send(url + path, { method, headers }),
    post: write('POST'),
    put: write('PUT'),
  };
}

/** The path of an address of that server. */
export function pathOf(server: OgcServer, href: string): string {
  if (!href.startsWith(`${server.url}/`)) throw new Error(`${href} is not of ${server.url}`);
  return href.slice(server.url.length);
}
