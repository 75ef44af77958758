import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { eventually } from '../../support/eventually.ts';
import type { RungReport, Say } from '../figures.ts';
import { Mortal, warmUp } from './mortal.ts';

const PLATFORM = new URL('platform-process.ts', import.meta.url);
const RSS_MB_MAX = 250;
const READERS = 4;
const CHUNK = 64 * 1024;
const PATIENCE = { timeoutMs: 30 * 60_000, everyMs: 200 };
const UNITS: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, '': 1 };

function bytesIn(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)(KB|MB|GB)?$/i.exec(text) ?? [];
  const bytes = Number(number) * UNITS[unit.toUpperCase()]!;
  if (!(bytes > 0)) throw new Error(`--results must be a length such as 1GB, not "${text}"`);
  return bytes;
}

/** Bytes that no two places share, without an end of lines or a charset to hide behind. */
function* contentOf(bytes: number): Generator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += CHUNK) {
    const chunk = Buffer.alloc(Math.min(CHUNK, bytes - sent), (sent / CHUNK) % 251);
    if (chunk.byteLength >= 6) chunk.writeUIntBE(sent, 0, 6);
    yield chunk;
  }
}

function hashOf(bytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of contentOf(bytes)) hash.update(chunk);
  return hash.digest('hex');
}

/** Its processes are called by the length of their results; `now-…` answers with them at once. */
async function openProvider(): Promise<Server> {
  const json = (response: ServerResponse, status: number, body: object, location = ''): void => {
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(location === '' ? {} : { location }),
    });
    response.end(JSON.stringify(body));
  };
  const results = (response: ServerResponse, bytes: number): void => {
    response.writeHead(200, { 'content-type': 'image/tiff', 'content-language': 'de' });
    pipeline(Readable.from(contentOf(bytes)), response).catch(() => undefined);
  };
  const server = createServer((request, response) => {
    request.resume();
    const [, what = '', id = '', more = ''] = (request.url ?? '').split(/[/?]/);
    if (what === 'processes' && more !== 'execution') {
      return json(response, 200, { id, version: '1.0.0', inputs: {}, outputs: {} });
    }
    if (what === 'processes' && id.startsWith('now-'))
      return results(response, Number(id.slice(4)));
    if (more === 'results') return results(response, Number(id));
    const isMade = what === 'processes';
    const status = isMade ? 'accepted' : 'successful';
    const told = { jobID: id, type: 'process', status };
    return json(response, isMade ? 201 : 200, told, isMade ? `/jobs/${id}` : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

interface Scene {
  readonly platform: Mortal;
  readonly say: Say;
  readonly violations: string[];
  readonly figures: Record<string, string | number>;
}

interface Status {
  readonly jobID: string;
  readonly status: string;
  readonly message?: string;
}

function urlOf({ platform }: Scene): string {
  return platform.last!.url!;
}

async function execute(scene: Scene, process: string): Promise<Status> {
  const response = await fetch(`${urlOf(scene)}/processes/far:${process}/execution`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: '{"inputs":{}}',
  });
  const begun = (await response.json()) as Status;
  const at = response.headers.get('location') ?? `${urlOf(scene)}/jobs/${begun.jobID}`;
  const read = async (): Promise<Status> => (await (await fetch(at)).json()) as Status;
  const isOver = async (): Promise<boolean> =>
    ['successful', 'failed'].includes((await read()).status);
  await eventually(`${process} has ended`, isOver, PATIENCE);
  return read();
}

async function readBack(scene: Scene, jobId: string): Promise<string> {
  const response = await fetch(`${urlOf(scene)}/jobs/${jobId}/results`);
  const hash = createHash('sha256');
  for await (const chunk of response.body!) hash.update(chunk);
  const { headers } = response;
  const isNamed = headers.get('content-type') === 'image/tiff';
  return isNamed && headers.get('content-language') === 'de' ? hash.digest('hex') : 'other headers';
}

/** Null where all was over before the platform reported. */
function highest({ platform: { peak } }: Scene): number | null {
  return peak === null ? null : peak.standing.rssMb;
}

/** The most memory that the platform has while something is done. */
async function during<Result>(
  scene: Scene,
  what: string,
  body: () => Promise<Result>,
): Promise<Result> {
  scene.platform.peak = null;
  const result = await body();
  // What is over before the platform's next report has no figure.
  const rssMbMax = highest(scene);
  if (rssMbMax === null) return result;
  scene.figures[`RSS at most, ${what}, MB`] = rssMbMax;
  scene.say(`${what}: RSS ${rssMbMax} MB at most`);
  if (rssMbMax >= RSS_MB_MAX) scene.violations.push(`${what}: the platform had ${rssMbMax} MB`);
  return result;
}

async function inAndOut(scene: Scene, process: string, bytes: number, readers: number) {
  const wanted = hashOf(bytes);
  const ended = await during(scene, `${process} in`, () => execute(scene, process));
  if (ended.status !== 'successful') {
    scene.violations.push(`${process} ended as ${ended.status}: ${ended.message}`);
    return;
  }
  const hashes = await during(scene, `${process} out to ${readers}`, () =>
    Promise.all(Array.from({ length: readers }, () => readBack(scene, ended.jobID))),
  );
  for (const hash of hashes) {
    if (hash !== wanted) scene.violations.push(`${process}: the bytes came back as ${hash}`);
  }
}

/** What exceeds the limit fails, says so, and goes on saying so. */
async function refused(scene: Scene, bytes: number): Promise<void> {
  const ended = await during(scene, 'beyond the limit', () => execute(scene, String(bytes)));
  const answer = await fetch(`${urlOf(scene)}/jobs/${ended.jobID}/results`);
  const text = await answer.text();
  const isTold = ended.status === 'failed' && text.includes('results_size_limit');
  if (!isTold) scene.violations.push(`beyond the limit: ${ended.status}, ${answer.status} ${text}`);
}

/** Results of a length, fetched and at once, in and out, and a fifth of it to several readers. */
export async function runResults(length: string, say: Say): Promise<RungReport> {
  const bytes = bytesIn(length);
  const folder = await mkdtemp(join(tmpdir(), 'pawl-ogc-results-'));
  const provider = await openProvider();
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const file = join(folder, 'providers.json');
  const far = { url, results_size_limit: bytes, results_timeout: 3_600 };
  await writeFile(file, JSON.stringify({ providers: { far } }));
  const env = await warmUp(PLATFORM, folder, [join(folder, 'warm'), file, 'once']);
  const platform = new Mortal(PLATFORM, [join(folder, 'data'), file], env);
  const figures: Scene['figures'] = { 'bytes of results': bytes };
  const scene: Scene = { platform, say, violations: [], figures };
  try {
    await platform.start();
    figures['RSS at first, MB'] = platform.last!.rssMb;
    await inAndOut(scene, String(bytes), bytes, 1);
    await inAndOut(scene, `now-${bytes}`, bytes, 1);
    const part = Math.ceil(bytes / 5);
    await inAndOut(scene, String(part), part, READERS);
    await refused(scene, bytes + 1);
    return { figures, violations: scene.violations };
  } finally {
    await platform.kill();
    provider.closeAllConnections();
    provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}
