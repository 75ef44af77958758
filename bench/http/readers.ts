// One process that reads many streams of everything that happens.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { serve } from '../harness/remote.ts';
import { percentile } from '../harness/statistics.ts';
import { nowMs } from '../peers/wire.ts';

export interface Delivered {
  readonly events: number;
  /** When the last of them came. */
  readonly lastAt: number;
  /** From the event's own time until it was read, ms. */
  readonly lagP50: number;
  readonly lagP99: number;
  readonly lagMax: number;
}

/** What this process does. */
export interface ReaderVerbs {
  open(given: { url: string; key: string; streams: number }): Promise<void>;
  /** Waits until so many events have come in all since it was last asked. */
  take(events: number): Promise<Delivered>;
  close(given: null): Promise<void>;
}

const EVENT = /^data:.*?"timestamp":"([^"]+)"/gm;
/** The time is parsed of the events of one stream in so many: reading must not be what is slow. */
const TIMED_EVERY = 10;
const PATIENCE_MS = 120_000;
const LOOK_MS = 5;

let pool: Pool | null = null;
/** What has come since it was last taken. */
const come = { events: 0, lastAt: 0, lags: [] as number[] };

function hear(text: string, isTimed: boolean): void {
  const found = isTimed ? text.matchAll(EVENT) : null;
  come.events += text.split('\nevent:').length - 1;
  come.lastAt = nowMs();
  const now = Date.now();
  for (const [, time] of found ?? []) come.lags.push(now - Date.parse(time!));
}

/** Answers when the server has said that the stream is open. */
async function follow(number: number, key: string): Promise<void> {
  const { body, statusCode } = await pool!.request({
    method: 'GET',
    path: '/v1/events',
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    bodyTimeout: 0,
    headersTimeout: PATIENCE_MS,
  });
  if (statusCode !== 200) throw new Error(`a stream was refused: ${await body.text()}`);
  let rest = '';
  body.setEncoding('utf8');
  body.on('error', () => undefined);
  body.on('data', (chunk: string) => {
    const text = rest + chunk;
    const end = text.lastIndexOf('\n\n') + 2;
    rest = text.slice(end);
    if (end > 1) hear(`\n${text.slice(0, end)}`, number % TIMED_EVERY === 0);
  });
}

const verbs: ReaderVerbs = {
  async open({ url, key, streams }) {
    pool = new Pool(url, { connections: null });
    await Promise.all(Array.from({ length: streams }, (_, number) => follow(number, key)));
  },
  async take(wanted) {
    const until = nowMs() + PATIENCE_MS;
    while (come.events < wanted && nowMs() < until) await sleep(LOOK_MS);
    const { events, lastAt, lags } = come;
    if (events !== wanted) throw new Error(`${events} events of ${wanted} were read`);
    const [lagP50, lagP99, lagMax] = [50, 99, 100].map((percent) => percentile(lags, percent));
    const delivered = { events, lastAt, lagP50: lagP50!, lagP99: lagP99!, lagMax: lagMax! };
    Object.assign(come, { events: 0, lags: [] });
    return delivered;
  },
  async close() {
    await pool?.destroy();
  },
};

serve({ ...verbs });
