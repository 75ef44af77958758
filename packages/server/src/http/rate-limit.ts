import type { FastifyInstance } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import { PUBLIC, scopeOf } from './access.ts';
import { credentialOf } from './services.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  left: number;
  at: number;
}

const BUCKETS_MAX = 10_000;

/** A token bucket a credential: it refills steadily and never holds more than the burst. */
export class RateLimiter {
  readonly limit: RateLimit;
  readonly #nowMs: () => number;
  readonly #buckets: Map<string, Bucket> = new Map();

  constructor(limit: RateLimit, nowMs: () => number) {
    this.limit = limit;
    this.#nowMs = nowMs;
  }

  /** Takes one token; `waitMs` is 0 where there was one. */
  take(caller: string): { left: number; waitMs: number } {
    const now = this.#nowMs();
    const { perSecond, burst } = this.limit;
    const bucket = this.#buckets.get(caller) ?? { left: burst, at: now };
    const filled = Math.min(burst, bucket.left + ((now - bucket.at) / 1_000) * perSecond);
    const isFit = filled >= 1;
    this.#buckets.delete(caller);
    if (this.#buckets.size >= BUCKETS_MAX) {
      this.#buckets.delete(this.#buckets.keys().next().value!);
    }
    this.#buckets.set(caller, { left: isFit ? filled - 1 : filled, at: now });
    return {
      left: Math.floor(isFit ? filled - 1 : 0),
      waitMs: isFit ? 0 : Math.ceil(((1 - filled) / perSecond) * 1_000),
    };
  }
}

/** Counts requests per credential, tells what is left, and refuses what is too much. */
export function limitRates(app: FastifyInstance, limiter: RateLimiter): void {
  const { perSecond, burst } = limiter.limit;
  const windowSeconds = Math.max(1, Math.ceil(burst / perSecond));
  const policy = `"requests";q=${burst};w=${windowSeconds}`;
  app.addHook('onRequest', async (request, reply) => {
    if (scopeOf(request) === PUBLIC) return;
    const { id } = credentialOf(request);
    const { left, waitMs } = limiter.take(id === 'open' ? `ip:${request.ip}` : id);
    const waitSeconds = Math.ceil(waitMs / 1_000);
    void reply.header('ratelimit-policy', policy);
    void reply.header('ratelimit', `"requests";r=${left};t=${waitSeconds}`);
    if (waitMs === 0) return;
    void reply.header('retry-after', String(Math.max(1, waitSeconds)));
    throw new PawlError('RATE_LIMITED', `more than ${perSecond} requests per second`);
  });
}
