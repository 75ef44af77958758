import { type ErrorCode, ERRORS, type Fault, PawlError } from '../core/errors.ts';
import { type Random, systemRandom } from '../core/random.ts';
import { systemTimers, type Timers } from '../core/timers.ts';
import { KnownPosition } from '../contract/position.ts';
import { newId } from './new-id.ts';

/** How a client reaches the server. */
export interface ConnectionOptions {
  /** URL of the API, such as `http://localhost:8080`, or several of one platform. */
  readonly url: string | readonly string[];
  /** An API key or a token. */
  readonly token?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Maximum number of retries of a request; default: 4. */
  readonly retriesMax?: number;
  /** Timeout of one request, without its long-poll time. */
  readonly timeoutMs?: number;
  /** For tests; default: those of the runtime. */
  readonly timers?: Timers;
  /** For tests; default: that of the runtime. */
  readonly random?: Random;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Bytes instead of JSON. */
  readonly content?: Uint8Array<ArrayBuffer> | string;
  /** The same for every try; made up where left out. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time that the server is asked to wait. */
  readonly waitMs?: number;
  /** Where an answer is needed sooner than the connection's own timeout gives up. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface StreamedBody {
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const RETRIES_MAX = 4;
export const TIMEOUT_MS = 30_000;
const BACKOFF_BASE_MS = 100;
const BACKOFF_MAX_MS = 5_000;
const RETRY_AFTER_MAX_MS = 60_000;
const RETRIED: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** The API's own problem as the error it stands for. */
export function errorOf(status: number, body: unknown): PawlError {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: string;
    detail?: string;
    errors?: readonly Fault[];
  };
  const isKnown = problem.code !== undefined && Object.hasOwn(ERRORS, problem.code);
  const code = isKnown ? (problem.code as ErrorCode) : 'INTERNAL_ERROR';
  const message = problem.detail ?? `the server answered with ${status}`;
  return new PawlError(code, message, {
    details: { ...problem, status },
    ...(problem.errors === undefined ? {} : { faults: problem.errors }),
  });
}

/**
 * Requests to one platform. A request whose outcome is unknown is sent again with the same
 * idempotency key, so that it has its effect once: to the next process at once where several are
 * known, and after a while once each of them has failed.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #fetch: typeof fetch;
  readonly #timers: Timers;
  readonly #random: Random;
  readonly #urls: readonly string[];
  readonly #position: KnownPosition = new KnownPosition();
  /** The process that answered last. */
  #at = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#urls = [options.url].flat();
    // Browsers refuse a `fetch` that is called as a method of anything else.
    const { fetch: send = fetch } = options;
    this.#fetch = (address, request) => send(address, request);
    this.#timers = options.timers ?? systemTimers;
    this.#random = options.random ?? systemRandom;
  }

  get timers(): Timers {
    return this.#timers;
  }

  /** Answers with what the server said, or throws the PawlError that it stands for. */
  async call(call: Call): Promise<Reply> {
    const roundsMax = 1 + (this.#options.retriesMax ?? RETRIES_MAX);
    const count = this.#urls.length;
    const key = call.idempotencyKey ?? newId();
    for (let tries = 1; ; tries++) {
      const { reply, error, waitMs } = await this.#once(call, key);
      if (reply !== null) return reply;
      call.signal?.throwIfAborted();
      if (waitMs === null || tries >= roundsMax * count) throw error;
      // Who asks too often is told so by every process.
      const isTooOften = error instanceof PawlError && error.status === 429;
      if (!isTooOften) this.#moveOn();
      if (!isTooOften && tries % count !== 0) continue;
      const signal = call.signal ?? new AbortController().signal;
      await this.#timers.sleep(waitMs > 0 ? waitMs : this.#backoffMs(tries / count), signal);
      call.signal?.throwIfAborted();
    }
  }

  /** Opens a stream at the first process that has one; the caller reads its body. */
  async open(
    path: string,
    options: { headers: Record<string, string>; signal: AbortSignal },
  ): Promise<Response> {
    const headers = { ...this.#headers(), ...options.headers };
    const { signal } = options;
    for (let tries = 1; ; tries++) {
      const isLast = tries >= this.#urls.length || signal.aborted;
      try {
        const answer = await this.#fetch(this.#urlOf(path), { headers, signal });
        if (answer.status < 500 || isLast) return answer;
        await answer.body?.cancel();
      } catch (error) {
        if (isLast) throw error;
      }
      this.#moveOn();
    }
  }

  /** Sends a stream, once: what has flowed away cannot be sent again. */
  async put(call: Pick<Call, 'path' | 'query'> & StreamedBody): Promise<unknown> {
    const { path, query, contentType, content } = call;
    const headers = { ...this.#headers(), 'content-type': contentType };
    const request = { method: 'PUT', headers, body: content, duplex: 'half' } as const;
    const answer = await this.#fetch(this.#urlOf(path, query), request).catch((cause: unknown) => {
      const message = `no answer from ${this.#urls[this.#at]}: ${String(cause)}`;
      throw new PawlError('OUTCOME_UNKNOWN', message, { cause });
    });
    this.#position.heed('PUT', answer);
    const body: unknown = await answer.json().catch(() => null);
    if (!answer.ok) throw errorOf(answer.status, body);
    return body;
  }

  /** `waitMs` null: asking again is no use. 0: after a backoff. */
  async #once(
    call: Call,
    key: string,
  ): Promise<{ reply: Reply | null; error: unknown; waitMs: number | null }> {
    try {
      const answer = await this.#send(call, key);
      this.#position.heed(call.method, answer);
      const text = await answer.text();
      const isJson = (answer.headers.get('content-type') ?? '').includes('json');
      const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
      const { status, headers } = answer;
      if (status < 400) return { reply: { status, headers, body }, error: null, waitMs: null };
      const error = errorOf(status, body);
      const waitMs = RETRIED.has(status) ? retryAfterMs(headers) : null;
      return { reply: null, error, waitMs };
    } catch (cause) {
      this.#position.heed(call.method, null);
      const message = `no answer from ${this.#urls[this.#at]}: ${String(cause)}`;
      const error = new PawlError('OUTCOME_UNKNOWN', message, { cause });
      return { reply: null, error, waitMs: 0 };
    }
  }

  #send(call: Call, key: string): Promise<Response> {
    const { method, body, content, waitMs = 0 } = call;
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const timeout = AbortSignal.timeout(Math.min(timeoutMs, call.timeoutMs ?? Infinity) + waitMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    return this.#fetch(this.#urlOf(call.path, call.query), {
      method,
      signal,
      headers: {
        ...this.#headers(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'POST' ? { 'idempotency-key': key } : {}),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(content === undefined ? {} : { body: content }),
    });
  }

  #headers(): Record<string, string> {
    const { token } = this.#options;
    const credential = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return { ...this.#position.headers, ...credential };
  }

  #urlOf(path: string, query: Call['query'] = {}): URL {
    const url = new URL(path, this.#urls[this.#at]);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  #moveOn(): void {
    this.#at = (this.#at + 1) % this.#urls.length;
  }

  #backoffMs(tries: number): number {
    return this.#random.next() * Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** tries);
  }
}

function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? Math.min(RETRY_AFTER_MAX_MS, seconds * 1_000) : 0;
}
