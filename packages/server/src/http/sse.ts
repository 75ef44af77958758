import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { Random } from 'pawl/internal/core/random';

export interface StreamLimits {
  /** Open streams of this process. */
  readonly totalMax: number;
  /** Open streams of one credential. */
  readonly perCallerMax: number;
  /** What a reader may leave unread before the writer waits for it. */
  readonly bufferBytesMax: number;
  /** How long the writer waits for such a reader before it is cut off. */
  readonly stallMsMax: number;
  /** A comment this often keeps proxies from closing a quiet stream. */
  readonly keepaliveMs: number;
  /** A stream ends after this time; its reader comes back with its cursor. */
  readonly lifetimeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  totalMax: 10_000,
  perCallerMax: 2_000,
  bufferBytesMax: 262_144,
  stallMsMax: 10_000,
  keepaliveMs: 15_000,
  lifetimeMs: 3_600_000,
};

const RETRY_MS_MIN = 1_000;
const RETRY_MS_SPREAD = 4_000;
const END_MS_MAX = 1_000;

/** Counts open streams, so that neither one credential nor all together can take the server. */
export class StreamGate {
  readonly limits: StreamLimits;
  readonly #open: Map<string, number> = new Map();
  #total = 0;

  constructor(limits: StreamLimits) {
    this.limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** Answers with the way to leave again. */
  enter(caller: string): () => void {
    const own = this.#open.get(caller) ?? 0;
    if (own >= this.limits.perCallerMax) {
      const message = `this credential has ${own} streams open, which is all it may have`;
      throw new PawlError('RATE_LIMITED', message);
    }
    if (this.#total >= this.limits.totalMax) {
      throw new PawlError('SERVER_BUSY', `${this.#total} streams are open, which is the limit`);
    }
    this.#open.set(caller, own + 1);
    this.#total++;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#total--;
      const left = this.#open.get(caller)! - 1;
      if (left === 0) this.#open.delete(caller);
      else this.#open.set(caller, left);
    };
  }
}

export interface StreamOptions {
  readonly limits: StreamLimits;
  readonly random: Random;
  /** Ends the stream from outside. */
  readonly stopping: AbortSignal;
  /** The mark of live texts when it was opened: those that came later are for it. */
  readonly since: number;
}

/**
 * An answer that goes on. Modes: *open*; *waiting* for a reader that left too much unread; *gone*
 * when the reader left, was cut off, lived long enough, or the server stops.
 */
export class SseStream {
  readonly #reply: FastifyReply;
  readonly #limits: StreamLimits;
  readonly #gone = new AbortController();
  readonly since: number;

  constructor(reply: FastifyReply, options: StreamOptions) {
    this.#reply = reply;
    this.#limits = options.limits;
    this.since = options.since;
    const { raw } = reply;
    const leave = (): void => this.#gone.abort();
    raw.on('close', leave);
    raw.on('error', leave);
    const ends = AbortSignal.any([
      options.stopping,
      AbortSignal.timeout(options.limits.lifetimeMs),
    ]);
    if (ends.aborted) leave();
    ends.addEventListener('abort', leave, { once: true });
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // Readers that were all cut at once must not all come back at once.
    const retryMs = Math.round(RETRY_MS_MIN + options.random.next() * RETRY_MS_SPREAD);
    raw.write(`retry: ${retryMs}\n\n`);
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Writes; false where the reader is too far behind now, and `drained` is to be waited for. */
  write(frame: string): boolean {
    const { raw } = this.#reply;
    if (this.#gone.signal.aborted) return true;
    raw.write(frame);
    return !this.#isBehind;
  }

  /** Waits while the reader is too far behind. */
  async drained(): Promise<void> {
    if (this.#isBehind) await this.#drain();
  }

  async send(frame: string): Promise<void> {
    this.write(frame);
    await this.drained();
  }

  keepAlive(): Promise<void> {
    return this.send(': still here\n\n');
  }

  end(): void {
    const { raw } = this.#reply;
    this.#gone.abort();
    if (raw.destroyed) return;
    raw.end();
    // A reader that takes nothing must not keep the server from closing.
    const late = AbortSignal.timeout(END_MS_MAX);
    late.addEventListener('abort', () => raw.destroy(), { once: true });
  }

  get #isBehind(): boolean {
    if (this.#gone.signal.aborted) return false;
    return this.#reply.raw.writableLength > this.#limits.bufferBytesMax;
  }

  async #drain(): Promise<void> {
    const { raw } = this.#reply;
    const late = AbortSignal.timeout(this.#limits.stallMsMax);
    const signal = AbortSignal.any([late, this.#gone.signal]);
    await once(raw, 'drain', { signal }).catch(() => undefined);
    // Its cursor is safe with the reader: it comes back and goes on from there.
    if (late.aborted) raw.destroy();
  }
}
