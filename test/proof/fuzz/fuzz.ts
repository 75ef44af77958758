// Throws requests at a real server and holds every answer against its own document.
import { Agent, request } from 'node:http';
import { SeededRandom } from 'pawl/internal/core/random';
import { PlatformProcess } from '../../chaos/platform-process.ts';
import { freePort } from '../../support/free-port.ts';
import { Instances, type Schema } from './instances.ts';
import {
  type ApiDocument,
  type FuzzRequest,
  type Operation,
  operationsOf,
  requestOf,
} from './requests.ts';
import { BAD_BYTES, sendBytes } from './wire.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** Where the server may keep its data. */
  readonly folder: string;
  readonly isTimeLeft: () => boolean;
}

export interface FuzzReport {
  readonly requests: number;
  readonly operations: number;
  readonly operationsHit: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** Before the first request, and after each part of them. */
  readonly memoryMiB: readonly number[];
  readonly violations: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const AT_ONCE = 8;
/** Long enough for any machine: who has not answered by then hangs. */
const ANSWER_MS = 70_000;
const VIOLATIONS_MAX = 20;
/** It reads all history: asked as often as others it would be all that a long run does. */
const READS_ALL = '/v1/doctor/verify';
const READS_ALL_SHARE = 0.05;
/** So it takes as long as a busy machine wants. */
const READS_ALL_MS = 600_000;
/** It says of itself that it is not ready, in its own words, while the machine does much else. */
const READY = '/readyz';
const NO_ANSWER = 599;
const LOOKS_AT_MEMORY = 20;
/** Of the second half over the first one's end; before that, caches fill. */
const MEMORY_GROWTH_MAX = 1.25;
const REQUESTS_TO_TELL = 50_000;
/** Of a path that a name was spoiled in nobody can say which route it belongs to. */
const AT_THE_DOOR: readonly number[] = [400, 404, 405, 406, 408, 413, 414, 415, 431];
/** Traces of the inside: stacks, statements, places on the disk. */
const LEAKS = /node:internal|\.ts:\d+|\bat (?:async )?\S+ \(|SQLITE_|SELECT |INSERT INTO|\/src\//;

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const port = await freePort();
  const flags = ['--role', 'api,sweeper', '--port', String(port)];
  const server = new PlatformProcess({ flags, env: { PAWL_DATA: options.folder } });
  await server.start();
  try {
    return await new Fuzzer(port, options).run();
  } finally {
    await server.end('SIGKILL');
  }
}

class Fuzzer {
  readonly #port: number;
  readonly #options: FuzzOptions;
  readonly #random: SeededRandom;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  readonly #statuses = new Map<number, number>();
  readonly #hit = new Set<string>();
  readonly #violations: string[] = [];
  #sent = 0;

  constructor(port: number, options: FuzzOptions) {
    this.#port = port;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<FuzzReport> {
    const document = JSON.parse((await this.#get('/openapi.json')).body) as ApiDocument;
    const operations = operationsOf(document);
    const nameOf = (ref: string): string => ref.split('/').at(-1)!;
    const resolve = (ref: string): Schema => document.components.schemas[nameOf(ref)] ?? {};
    const instances = new Instances(this.#random, resolve);
    await this.#call('PUT', '/v1/types/convert', { lifecycle: 'task' });
    const memoryMiB = [await this.#memory()];
    const lookEvery = Math.ceil(this.#options.requests / LOOKS_AT_MEMORY);
    let lookAt = lookEvery;
    const workers = Array.from({ length: AT_ONCE }, async () => {
      while (this.#isGoing) {
        this.#sent += 1;
        await this.#try(requestOf(this.#choose(operations), instances, this.#random), instances);
        if (this.#sent % 200 === 0) await this.#tryBytes();
        if (this.#sent < lookAt) continue;
        lookAt += lookEvery;
        memoryMiB.push(await this.#memory());
      }
    });
    await Promise.all(workers);
    const isAlive = (await this.#get('/livez')).status === 200;
    if (!isAlive) this.#violations.push('the server does not answer any more');
    this.#judgeMemory(memoryMiB);
    this.#agent.destroy();
    return {
      requests: this.#sent,
      operations: operations.length,
      operationsHit: this.#hit.size,
      statuses: this.#statuses,
      memoryMiB,
      violations: this.#violations,
    };
  }

  /** Flat is what does not grow once every kind of request has been seen many times. */
  #judgeMemory(memoryMiB: readonly number[]): void {
    if (this.#sent < REQUESTS_TO_TELL) return;
    const half = memoryMiB.slice(Math.ceil(memoryMiB.length / 2));
    const before = Math.max(...memoryMiB.slice(0, Math.ceil(memoryMiB.length / 2)));
    const least = Math.min(...half.slice(-3));
    if (least <= before * MEMORY_GROWTH_MAX) return;
    this.#violations.push(`memory grows: ${memoryMiB.join(', ')} MiB`);
  }

  #choose(operations: readonly Operation[]): Operation {
    const operation = this.#random.pick(operations);
    if (operation.path !== READS_ALL || this.#random.next() < READS_ALL_SHARE) return operation;
    return this.#choose(operations);
  }

  get #isGoing(): boolean {
    const { requests, isTimeLeft } = this.#options;
    return this.#sent < requests && isTimeLeft() && this.#violations.length < VIOLATIONS_MAX;
  }

  async #try(sent: FuzzRequest, instances: Instances): Promise<void> {
    const { method, path, described } = sent.operation;
    const answer = await this.#send(sent);
    this.#hit.add(`${method} ${path}`);
    const { type, body } = answer;
    // Who asks to be kept waiting has to wait.
    const isWaiting = answer.status === NO_ANSWER && asksToWait(sent);
    const status = isWaiting ? 0 : answer.status;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (isWaiting) return;
    const documented = Object.keys(described.responses).includes(String(status));
    if (path === READY && status === 503 && documented) return;
    const isBusy = status === 503 && /"code":"(QUEUE_OVERLOADED|SERVER_BUSY)"/.test(body);
    // What needs a setting that this server has not.
    const isUnset = status === 501 && documented;
    const where = `${method} ${sent.url.slice(0, 200)} → ${status}`;
    const tell = (what: string): void => {
      const bytes = sent.body?.toString('utf8').slice(0, 300) ?? '';
      this.#violations.push(`${where}: ${what}; sent ${bytes}; got ${body.slice(0, 300)}`);
    };
    if (status >= 500 && !isBusy && !isUnset) tell('a fault of the server');
    if (!documented && !AT_THE_DOOR.includes(status)) tell('not in the document');
    if (status >= 400 && !type.includes('problem+json')) tell(`no problem but ${type}`);
    if (status >= 400 && LEAKS.test(body)) tell('it tells of its inside');
    const [, id] = /^\{"id":"([0-9a-f-]{36})"/.exec(body) ?? [];
    if (id !== undefined && instances.known.length < 500) instances.known.push(id);
  }

  async #tryBytes(): Promise<void> {
    const bytes = this.#random.pick(BAD_BYTES);
    const status = await sendBytes(this.#port, bytes);
    this.#sent += 1;
    const key = status ?? 0;
    this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
    // 503: a busy server turns these away, too. 501: it is not a proxy.
    const isKnown = status === 503 || (status === 501 && bytes.startsWith('CONNECT'));
    if (status !== null && status >= 500 && !isKnown)
      this.#violations.push(`${bytes.slice(0, 60)} → ${status}`);
  }

  #get(path: string): Promise<Answer> {
    return this.#call('GET', path, null);
  }

  #call(method: string, path: string, body: unknown): Promise<Answer> {
    const operation = { method, path, described: { responses: {} } };
    const headers = body === null ? {} : { 'content-type': 'application/json' };
    const bytes = body === null ? null : Buffer.from(JSON.stringify(body));
    return this.#send({ operation, url: path, headers, body: bytes });
  }

  #send({ operation, url, headers, body }: FuzzRequest): Promise<Answer> {
    return new Promise((resolve) => {
      const agent = this.#agent;
      const where = { host: '127.0.0.1', port: this.#port, agent };
      const asked = request({ ...where, method: operation.method, path: url, headers });
      const fail = (error: Error): void =>
        resolve({ status: NO_ANSWER, type: '', body: `no answer: ${error.message}` });
      const ms = operation.path === READS_ALL ? READS_ALL_MS : ANSWER_MS;
      asked.setTimeout(ms, () => asked.destroy(new Error(`none within ${ms} ms`)));
      asked.on('error', fail);
      asked.on('response', (response) => {
        const type = response.headers['content-type'] ?? '';
        const status = response.statusCode ?? 0;
        const parts: Buffer[] = [];
        const end = (): void => {
          const text = Buffer.concat(parts).toString('utf8');
          resolve({ status, type, body: text });
        };
        response.on('data', (chunk: Buffer) => void parts.push(chunk));
        response.on('end', end);
        response.on('error', end);
        response.on('close', end);
        // A stream has no end of its own: that it begins is enough.
        if (type.includes('event-stream')) response.destroy();
      });
      asked.end(body ?? undefined);
    });
  }

  async #memory(): Promise<number> {
    const { body } = await this.#get('/metrics');
    const [, bytes = '0'] = /^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)/m.exec(body) ?? [];
    return Math.round(Number(bytes) / 2 ** 20);
  }
}

function asksToWait({ url, headers, body }: FuzzRequest): boolean {
  return /wait/i.test(`${url} ${headers['prefer'] ?? ''} ${body?.toString('utf8') ?? ''}`);
}
