// Every operation of the two documents that the platform serves, and how it is called.
import { EXAMPLES } from '@pawl/server/internal/http/openapi-examples';
import { canary, type Planted } from './canaries.ts';
import type { Caller } from './fixture.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
}

interface Document {
  readonly paths: Record<string, Record<string, { operationId?: string }>>;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head']);

function routesIn({ paths }: Document): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, { operationId = '' }]) => ({
        method: method.toUpperCase(),
        path,
        operationId,
      })),
  );
}

/** Of the native API and of OGC API – Processes. */
export async function allRoutes(caller: Caller): Promise<Route[]> {
  const native = await caller.get('/openapi.json');
  const ogc = await caller.get('/ogc/api');
  const found = [...routesIn(native.json as Document), ...routesIn(ogc.json as Document)];
  const seen = new Map(found.map((route) => [`${route.method} ${route.path}`, route]));
  return [...seen.values()];
}

type Names = Readonly<Record<string, string>>;

/** What stands for the parameters of a path: ids and names of the planted tenant. */
export function namesFor({ path }: Route, planted: Planted): Names {
  const [, first = '', second = ''] = path.split('/');
  const area = first === 'v1' ? second : first;
  const byArea: Record<string, Names> = {
    dlq: { id: planted.letter },
    keys: { id: planted.key },
    artifacts: { id: planted.artifact },
    webhooks: { id: planted.webhook, deliveryId: planted.delivery },
    schedules: { name: canary('schedule') },
    queues: { name: canary('queue') },
    tenants: { tenant: canary('tenant') },
    workers: { name: canary('worker') },
    lifecycles: { name: 'task' },
    assets: { file: canary('file') },
    guides: { section: canary('section'), file: canary('file') },
  };
  const ofJob = {
    id: planted.job,
    name: canary('stage'),
    type: canary('type'),
    message: canary('message'),
    fingerprint: 'f'.repeat(16),
  };
  const ofProcess = { processId: canary('type'), processID: canary('type') };
  const ofStatus = { jobId: planted.process, jobID: planted.process, outputId: 'result' };
  return { ...ofJob, ...ofProcess, ...ofStatus, ...byArea[area] };
}

/** The path with its parameters filled in. */
export function pathWith(path: string, names: Names): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined) throw new Error(`no name stands for {${name}} of ${path}`);
    return encodeURIComponent(value);
  });
}

function packageOf(type: string): object {
  const process = { id: type, title: type, version: '1.0.0' };
  return { processDescription: { process }, executionUnit: { type: 'pawl', job: type } };
}

/** A body that would do harm if it were let through. */
export function bodyFor({ operationId, method, path }: Route, planted: Planted): unknown {
  const type = canary('type');
  const bodies: Record<string, unknown> = {
    cancelJobs: { ids: [planted.job, planted.process] },
    rerunJobs: { ids: [planted.job, planted.process] },
    replayDeadLetters: { ids: [planted.letter] },
    acceptJob: { type },
    acceptJobs: { jobs: [{ type }] },
    deploy: packageOf(type),
    replace: packageOf(type),
    claimJobs: { workerId: planted.held.workerId, types: [type], max: 9, waitMs: 0 },
  };
  const body = bodies[operationId];
  if (body !== undefined) return body;
  const example = EXAMPLES[operationId] as Record<string, unknown> | undefined;
  if (example !== undefined) return 'epoch' in example ? { ...example, ...planted.held } : example;
  if (method === 'POST' && path.endsWith('/execution')) return { inputs: {} };
  if (method === 'PUT' || path === '/v1/artifacts') return Buffer.from('bytes of another');
  return undefined;
}
