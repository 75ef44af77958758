import type { JobEventJson, JobJson } from '../contract/job.ts';
import type { Problem } from '../contract/problem.ts';
import { type Connection, errorOf } from './connection.ts';
import { readMessages, type SseMemory, type SseMessage } from './sse.ts';

/** An item of a stream; `cursor` continues after it, on this server or another. */
export type StreamItem =
  | { readonly kind: 'snapshot'; readonly cursor: string | null; readonly job: JobJson }
  | { readonly kind: 'event'; readonly cursor: string | null; readonly event: JobEventJson }
  /** The log is another one than before; what follows is not joined to what came. */
  | { readonly kind: 'reset'; readonly cursor: string | null; readonly problem: Problem };

/** Where a stream of events begins, and what ends it. */
export interface FollowOptions {
  /** Goes on after this one, without a gap and without a repeat. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

/** The server says something at least every 15 s; silence for longer is a dead connection. */
const SILENCE_MS_MAX = 45_000;
const RETRY_MS = 2_000;
const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);
const ENDINGS: ReadonlySet<string> = new Set([
  'job_succeeded',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
]);

function itemOf({ id, event, data }: SseMessage): StreamItem {
  const value: unknown = JSON.parse(data);
  if (event === 'snapshot') return { kind: 'snapshot', cursor: id, job: value as JobJson };
  if (event === 'reset') return { kind: 'reset', cursor: id, problem: value as Problem };
  return { kind: 'event', cursor: id, event: value as JobEventJson };
}

function isEnding(item: StreamItem): boolean {
  if (item.kind === 'snapshot') return TERMINAL.has(item.job.phase);
  return item.kind === 'event' && ENDINGS.has(item.event.type);
}

/** Hands chunks on and calls off a stream that has been silent for too long. */
async function* watched(
  body: ReadableStream<Uint8Array>,
  silent: AbortController,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const watch = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => silent.abort(), SILENCE_MS_MAX);
  let timer = watch();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = watch();
      yield value;
    }
  } finally {
    clearTimeout(timer);
    // Whoever reads no further lets the connection go.
    await reader.cancel().catch(() => undefined);
  }
}

/** One stream after the other, each going on where the last broke off, until 204 or the signal. */
export async function* follow(
  connection: Connection,
  path: string,
  options: FollowOptions,
): AsyncGenerator<StreamItem> {
  const memory: SseMemory = { lastEventId: options.cursor ?? null, retryMs: null };
  const stop = options.signal ?? new AbortController().signal;
  while (!stop.aborted) {
    let isOver = false;
    const silent = new AbortController();
    const signal = AbortSignal.any([stop, silent.signal]);
    try {
      const answer = await connection.open(path, { headers: headersOf(memory), signal });
      if (answer.status === 204) return;
      if (!answer.ok) await refuse(answer);
      else if (answer.body !== null) {
        for await (const message of readMessages(watched(answer.body, silent), memory)) {
          const item = itemOf(message);
          isOver = isEnding(item);
          yield item;
        }
      }
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof Refused) throw error.cause;
    }
    // After the end of a job there is nothing to wait for but the word that there is no more.
    if (!isOver) await connection.timers.sleep(memory.retryMs ?? RETRY_MS, stop);
  }
}

class Refused extends Error {}

/** 5xx and 429 pass; what else is refused will be refused again. */
async function refuse(answer: Response): Promise<void> {
  const text = await answer.text();
  if (answer.status >= 500 || answer.status === 429) return;
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
  throw new Refused('refused', { cause: errorOf(answer.status, body) });
}

function headersOf({ lastEventId }: SseMemory): Record<string, string> {
  return {
    accept: 'text/event-stream',
    ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
  };
}
