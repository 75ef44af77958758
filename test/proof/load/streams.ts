// Thousands of open streams on a server process, some of which take nothing of what they are sent.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemTimers } from 'pawl/internal/core/timers';
import { PlatformProcess } from '../../chaos/platform-process.ts';
import { freePort } from '../../support/free-port.ts';
import { Reader } from './reader.ts';

export interface StreamsOptions {
  readonly streams: number;
  readonly stalled: number;
  readonly events: number;
  readonly folder: string;
  readonly say: (line: string) => void;
  /** How many loud kilobytes go to each stalled stream: more than kernel and server hold for it. */
  readonly loudKiB: number;
}

export interface StreamsReport {
  readonly openedMs: number;
  /** From the first event until every good reader has seen the last. */
  readonly deliveredMs: number;
  readonly cut: number;
  readonly cutMs: number;
  readonly memoryMiB: {
    readonly before: number;
    readonly open: number;
    readonly worst: number;
    readonly end: number;
  };
  readonly violations: readonly string[];
}

const KEYS = 6;
const AT_ONCE = 100;
const LOUD_READERS = 10;
const CUT_MS_MAX = 120_000;
const TRIES = 20;
const MEMORY_MIB_MAX = 1_024;

const never = new AbortController().signal;

interface Call {
  (method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** A server under such a load may turn requests away: whoever makes the load asks again. */
async function ask(url: string, init: RequestInit): Promise<Response> {
  for (let left = TRIES; ; left--) {
    const response = await fetch(url, init).catch(() => null);
    const isBusy = response === null || [408, 429, 503].includes(response.status);
    if (response !== null && (!isBusy || left === 0)) return response;
    if (left === 0) throw new Error(`no answer from ${url}`);
    await response?.body?.cancel();
    await systemTimers.sleep(500, never);
  }
}

function callerOf(url: string, key: string): Call {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await ask(url + path, { method, headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return isJson ? (JSON.parse(text) as Record<string, unknown>) : { text };
  };
}

class Station {
  readonly port: number;
  readonly #home: Call;
  readonly #url: string;
  worstMiB = 0;

  constructor(port: number, key: string) {
    this.port = port;
    this.#url = `http://127.0.0.1:${port}`;
    this.#home = callerOf(this.#url, key);
  }

  async keys(tenant: string, count: number): Promise<string[]> {
    const made: string[] = [];
    for (let index = 0; index < count; index++) {
      const wish = { name: `reader-${index}`, roles: ['admin'], tenant };
      made.push(String((await this.#home('POST', '/v1/keys', wish))['key']));
    }
    return made;
  }

  as(key: string): Call {
    return callerOf(this.#url, key);
  }

  /** Resident memory in MiB, and how many streams the server believes to be open. */
  async look(): Promise<{ memoryMiB: number; open: number }> {
    const { text } = await this.#home('GET', '/metrics');
    const [, bytes = '0'] = /^process_resident_memory_bytes (\S+)/m.exec(String(text)) ?? [];
    const [, open = '0'] = /^pawl_sse_streams (\S+)/m.exec(String(text)) ?? [];
    const memoryMiB = Math.round(Number(bytes) / 2 ** 20);
    this.worstMiB = Math.max(this.worstMiB, memoryMiB);
    return { memoryMiB, open: Number(open) };
  }
}

/** In batches: more at once than the kernel lets wait for a listener would be dropped. */
async function openAll(make: (index: number) => Reader, count: number): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < count) {
    const size = Math.min(AT_ONCE, count - readers.length);
    const some = Array.from({ length: size }, (_, index) => make(readers.length + index));
    await Promise.all(some.map((reader) => reader.opened()));
    readers.push(...some);
  }
  return readers;
}

interface LoudJob {
  readonly path: string;
  /** Sends so many kilobytes along its stream. */
  speak(kibibytes: number): Promise<void>;
}

async function openLoud(call: Call): Promise<LoudJob> {
  // It is held for as long as the streams take to open.
  const lease = { ttlMs: 1_800_000, heartbeatMs: 900_000 };
  await call('PUT', '/v1/types/loud', { lifecycle: 'task', lease });
  const { id } = await call('POST', '/v1/jobs', { type: 'loud' });
  const asked = { workerId: 'w', types: ['loud'], max: 1 };
  const { jobs } = await call('POST', '/v1/claims', asked);
  const [{ epoch }] = jobs as [{ epoch: number }];
  const tokens = 'x'.repeat(60 * 1_024);
  return {
    path: `/v1/jobs/${String(id)}/events`,
    speak: async (kibibytes) => {
      for (let sent = 0; sent < kibibytes; sent += 60) {
        await call('POST', `/v1/jobs/${String(id)}/heartbeat`, { workerId: 'w', epoch, tokens });
      }
    },
  };
}

/** The ids of all events that the readers have to see, in order, as they sum them up. */
async function expectedOf(call: Call): Promise<{ count: number; checksum: number }> {
  let [count, checksum, path] = [0, 0, '/v1/events?from=start&limit=500'];
  for (;;) {
    const page = await call('GET', path);
    const items = page['items'] as { id: string }[];
    for (const { id } of items) checksum = crc32(id, checksum);
    count += items.length;
    if (items.length === 0) return { count, checksum };
    path = `/v1/events?limit=500&cursor=${String(page['nextCursor'])}`;
  }
}

async function produce(call: Call, events: number): Promise<void> {
  for (let made = 0; made < events; made += 50) {
    const jobs = Array.from({ length: Math.min(50, events - made) }, () => ({ type: 'quiet' }));
    await call('POST', '/v1/jobs/batch', { jobs });
  }
}

/** Opens the streams, tells them things, waits until the good have all and the stalled are cut. */
async function play(station: Station, options: StreamsOptions): Promise<StreamsReport> {
  const { streams, stalled, events, say } = options;
  const quietKeys = await station.keys('quiet', KEYS);
  const [loudKey] = (await station.keys('loud', 1)) as [string];
  const quiet = station.as(quietKeys[0]!);
  await quiet('PUT', '/v1/types/quiet', { lifecycle: 'task' });
  const loud = await openLoud(station.as(loudKey));
  const before = (await station.look()).memoryMiB;
  const began = performance.now();
  const { port } = station;
  const path = '/v1/events?from=start';
  const good = await openAll(
    (index) => {
      const key = quietKeys[index % KEYS]!;
      return new Reader({ port, path, key, isStalled: false });
    },
    streams - stalled - LOUD_READERS,
  );
  const listener = { port, path: loud.path, key: loudKey };
  await openAll(() => new Reader({ ...listener, isStalled: true }), stalled);
  const listeners = await openAll(
    () => new Reader({ ...listener, isStalled: false }),
    LOUD_READERS,
  );
  const openedMs = performance.now() - began;
  const open = await station.look();
  say(`  ${open.open} streams open, the server has ${open.memoryMiB} MiB`);
  const loudness = loud.speak(options.loudKiB);
  // It is waited for below; a failure before that must not end the process beside its server.
  loudness.catch(() => undefined);
  const told = performance.now();
  await produce(quiet, events);
  const expected = await expectedOf(quiet);
  await Promise.all(good.map((reader) => reader.seen(expected.count)));
  const deliveredMs = performance.now() - told;
  say(`  ${good.length} readers have ${expected.count} events each`);
  await loudness;
  const isOver = performance.now() + CUT_MS_MAX;
  let left = (await station.look()).open;
  while (left > streams - stalled && performance.now() < isOver) {
    await systemTimers.sleep(500, never);
    left = (await station.look()).open;
  }
  const cutMs = performance.now() - told;
  const end = (await station.look()).memoryMiB;
  const memoryMiB = { before, open: open.memoryMiB, worst: station.worstMiB, end };
  const cut = open.open - left;
  const seen = { good, listeners, expected, cut, memoryMiB };
  const violations = judge(seen, options);
  for (const reader of [...good, ...listeners]) reader.close();
  return { openedMs, deliveredMs, cut, cutMs, memoryMiB, violations };
}

function judge(
  seen: {
    good: readonly Reader[];
    listeners: readonly Reader[];
    expected: { count: number; checksum: number };
    cut: number;
    memoryMiB: StreamsReport['memoryMiB'];
  },
  { stalled }: StreamsOptions,
): string[] {
  const { good, listeners, expected, cut, memoryMiB } = seen;
  const violations: string[] = [];
  const wrong = good.filter(
    ({ count, checksum }) => count !== expected.count || checksum !== expected.checksum,
  );
  if (wrong.length > 0) violations.push(`${wrong.length} readers missed or mixed up events`);
  const gone = [...good, ...listeners].filter(({ isClosed }) => isClosed);
  if (gone.length > 0) violations.push(`${gone.length} readers that read were cut off`);
  if (cut !== stalled) violations.push(`${cut} of ${stalled} stalled streams were cut off`);
  const grown = memoryMiB.worst - memoryMiB.before;
  if (grown > MEMORY_MIB_MAX) violations.push(`the server grew by ${grown} MiB`);
  return violations;
}

export async function runStreams(options: StreamsOptions): Promise<StreamsReport> {
  const port = await freePort();
  const env = { PAWL_DATA: options.folder, PAWL_AUTH: 'on', PAWL_BUILTIN: 'off' };
  const flags = ['--role', 'api,sweeper', '--port', String(port)];
  const server = new PlatformProcess({ flags, env });
  await server.start();
  try {
    const key = readFileSync(join(options.folder, 'admin.key'), 'utf8').trim();
    return await play(new Station(port, key), options);
  } finally {
    await server.end('SIGKILL');
  }
}
