// `npm run proof:pygeoapi`: a real pygeoapi, installed into a cache of the repository, with its
// whole set of example processes behind a gateway: each is listed, described, executed in both
// ways, and answered as it is directly; jobs are dismissed, and OWSLib is one of the clients.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { silentLog } from 'pawl/internal/engine/context';
import {
  findPygeoapi,
  installPygeoapi,
  openPygeoapi,
  PYTHON,
} from '../../../packages/ogc/test/provider/pygeoapi.ts';
import { eventually } from '../../support/eventually.ts';
import type { Rung, Say } from '../figures.ts';

const OWSLIB = fileURLToPath(new URL('owslib_client.py', import.meta.url));
const PATIENCE = { timeoutMs: 5 * 60_000, everyMs: 200 };
const ASYNC = { prefer: 'respond-async' };
const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [0, 2],
      [2, 2],
      [2, 0],
      [0, 0],
    ],
  ],
};

/** Its processors, each with inputs of their own examples or, where those do not run, like them. */
const EXAMPLES: Readonly<Record<string, readonly object[]>> = {
  HelloWorld: [{ name: 'World', message: 'An optional message.' }, { name: 'Größe 東京' }],
  // The example of its description does not fit the description.
  Echo: [{ echoInput: '42', pause: 5.5 }],
  ShapelyFunctions: [
    { operation: 'predicates:within', geoms: [SQUARE, SQUARE] },
    { operation: 'constructive:centroid', geoms: [SQUARE], output_format: 'geojson' },
  ],
};
/** More than its lists show at once. */
const COPIES = 5;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  readonly json: any;
}

async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { accept: 'application/json', ...(init.headers as Record<string, string>) };
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  const isJson = /^[\s]*[[{"\d]/.test(text);
  const { status, headers: answered } = response;
  return { status, headers: answered, json: isJson ? JSON.parse(text) : text };
}

function post(url: string, inputs: object, headers: Record<string, string> = {}): Promise<Answer> {
  const body = JSON.stringify({ inputs });
  const type = { 'content-type': 'application/json' };
  return call(url, { method: 'POST', body, headers: { ...type, ...headers } });
}

/** Both sides, and what differs between them. */
class Comparison {
  readonly direct: string;
  readonly gateway: string;
  readonly violations: string[] = [];
  executions = 0;

  constructor(direct: string, gateway: string) {
    this.direct = direct;
    this.gateway = gateway;
  }

  expect(what: string, found: unknown, wanted: unknown): void {
    if (isDeepStrictEqual(found, wanted)) return;
    this.violations.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  }

  async lists(ids: readonly string[]): Promise<void> {
    const listed = async (): Promise<string[] | false> => {
      const { json } = await call(`${this.gateway}/processes?limit=1000`);
      const far = (json.processes as { id: string }[]).map(({ id }) => id);
      return far.some((id) => id.startsWith('geo:')) && far.filter((id) => id !== 'echo');
    };
    const found = await eventually('the processes are listed', listed, PATIENCE);
    this.expect('the list', found.toSorted(), ids.map((id) => `geo:${id}`).toSorted());
  }

  async describes(id: string): Promise<void> {
    const own = await call(`${this.direct}/processes/${id}`);
    const here = await call(`${this.gateway}/processes/geo:${id}`);
    this.expect(`${id} is described`, here.status, 200);
    this.expect(`the id of ${id}`, here.json.id, `geo:${id}`);
    for (const member of ['inputs', 'outputs', 'version', 'title', 'example']) {
      this.expect(`${member} of ${id}`, here.json[member], own.json[member]);
    }
  }

  async executes(id: string, inputs: object): Promise<void> {
    const execution = `processes/geo:${id}/execution`;
    const own = await post(`${this.direct}/processes/${id}/execution`, inputs);
    const sync = await post(`${this.gateway}/${execution}`, inputs);
    this.expect(`${id}, synchronously`, [sync.status, sync.json], [own.status, own.json]);
    const begun = await post(`${this.gateway}/${execution}`, inputs, ASYNC);
    this.expect(`${id}, asynchronously`, [begun.status, begun.json.detail], [201, undefined]);
    const at = begun.headers.get('location');
    if (at === null) return;
    const isOver = async (): Promise<boolean> =>
      !['accepted', 'running'].includes((await call(at)).json.status as string);
    await eventually(`${id} has ended`, isOver, PATIENCE);
    this.expect(`the results of ${id}`, (await call(`${at}/results`)).json, own.json);
    this.executions += 2;
  }

  /** What it refuses, with its reason, and what it cannot finish. */
  async refuses(): Promise<void> {
    const url = `${this.gateway}/processes/geo:ShapelyFunctions-0/execution`;
    const refused = await post(url, { operation: 'predicates:within', geoms: [] });
    const said = JSON.stringify(refused.json);
    const isTold = refused.status >= 400 && said.includes('Too few geometries');
    this.expect(`what it cannot do (${refused.status}, ${said})`, isTold, true);
    const missing = await post(`${this.gateway}/processes/geo:Echo-0/execution`, { pause: 1 });
    this.expect('inputs that do not fit', missing.status, 400);
  }

  async dismisses(): Promise<void> {
    const inputs = { echoInput: '42', pause: 10.25 };
    const url = `${this.gateway}/processes/geo:Echo-0/execution`;
    const begun = await post(url, inputs, ASYNC);
    const at = begun.headers.get('location') ?? '';
    const early = await call(`${at}/results`);
    this.expect('results that are not ready', early.status, 404);
    const dismissed = await call(at, { method: 'DELETE' });
    this.expect('a dismissal', [dismissed.status, dismissed.json.status], [200, 'dismissed']);
    const isGone = async (): Promise<boolean> => {
      const { json } = await call(`${this.direct}/jobs?limit=1000`);
      const jobs = json.jobs as { status: string }[];
      return jobs.every(({ status }) => !['accepted', 'running'].includes(status));
    };
    await eventually('pygeoapi has dismissed its job', isGone, PATIENCE);
  }

  async servesOwslib(): Promise<void> {
    const inputs = { name: 'OWSLib' };
    const process = 'geo:HelloWorld-0';
    const args = [OWSLIB, this.gateway, process, JSON.stringify(inputs)];
    const { stdout } = await promisify(execFile)(PYTHON, args);
    const told = JSON.parse(stdout) as Record<string, unknown>;
    const hello = { id: 'echo', value: 'Hello OWSLib!' };
    this.expect('OWSLib describes', told['described'], process);
    this.expect('OWSLib finds it', (told['processes'] as string[]).includes(process), true);
    // pygeoapi wraps documents in a list of its own.
    const isHello = JSON.stringify(told['sync']).includes(JSON.stringify(hello).slice(1, -1));
    this.expect(`OWSLib executes (${JSON.stringify(told['sync'])})`, isHello, true);
  }
}

async function compare(comparison: Comparison, ids: readonly string[], say: Say): Promise<void> {
  await comparison.lists(ids);
  for (const id of ids) {
    await comparison.describes(id);
    for (const inputs of EXAMPLES[id.split('-')[0]!]!) await comparison.executes(id, inputs);
    say(`${id}: ${comparison.violations.length} differences so far`);
  }
  await comparison.refuses();
  await comparison.servesOwslib();
  await comparison.dismisses();
}

export const runPygeoapi: Rung = async (_options, say) => {
  const fault = installPygeoapi();
  const program = findPygeoapi();
  if (program === null) return { figures: { 'left out': String(fault) }, violations: [] };
  const ids = Object.keys(EXAMPLES).flatMap((name) =>
    Array.from({ length: COPIES }, (_, index) => `${name}-${index}`),
  );
  const named = ids.map((id) => [id, id.split('-')[0]!] as const);
  const provider = await openPygeoapi(program, Object.fromEntries(named));
  const folder = mkdtempSync(join(tmpdir(), 'pawl-pygeoapi-gateway-'));
  const file = join(folder, 'providers.json');
  const geo = { url: provider.url, poll_interval: 0.5 };
  writeFileSync(file, JSON.stringify({ providers: { geo } }));
  const env = {
    PORT: '0',
    PAWL_DATA: join(folder, 'data'),
    PAWL_OGC_PROVIDERS: file,
    PAWL_OUTGOING_ALLOW: '127.0.0.1',
  };
  const platform = await startPlatform(readConfiguration(env), silentLog);
  const comparison = new Comparison(provider.url, platform.url);
  try {
    await compare(comparison, ids, say);
    const { executions, violations } = comparison;
    return { figures: { processes: ids.length, executions }, violations };
  } finally {
    await platform.stop();
    provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
