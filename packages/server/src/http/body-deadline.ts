import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';

/** How long a caller may take to send what it has announced. */
export interface BodyDeadlines {
  /** For the head of a request. */
  readonly headMs: number;
  /** For a whole body that is read into memory. */
  readonly bodyMs: number;
  /** For the next bytes of a body that is streamed. */
  readonly idleMs: number;
  /** A streamed body may take as long as it brings so many bytes a second, `bodyMs` aside. */
  readonly bytesPerSecondMin: number;
}

export const BODY_DEADLINES: BodyDeadlines = {
  headMs: 15_000,
  bodyMs: 60_000,
  idleMs: 30_000,
  bytesPerSecondMin: 1_024,
};

function tooSlow(message: string): PawlError {
  return new PawlError('REQUEST_TIMEOUT', message);
}

/** Cuts off who sends a body that is read into memory too slowly; streamed ones see to it. */
export function boundBodies(app: FastifyInstance, { bodyMs }: BodyDeadlines): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw, headers, routeOptions } = request;
    const hasBody = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
    if (!hasBody || routeOptions.config.isStreamed === true) return;
    const timer = setTimeout(() => {
      void reply.header('connection', 'close');
      void reply.send(tooSlow(`the body did not arrive within ${bodyMs} ms`));
    }, bodyMs);
    // A server that closes does not wait for bodies that may never come.
    timer.unref();
    const done = (): void => clearTimeout(timer);
    raw.once('end', done);
    reply.raw.once('close', done);
  });
}

/** The bytes as they come, as long as they do come. */
export async function* flowing(
  body: Readable,
  deadlines: BodyDeadlines,
): AsyncGenerator<Uint8Array> {
  const { bodyMs, idleMs, bytesPerSecondMin } = deadlines;
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let waitedMs = 0;
  let bytes = 0;
  for (;;) {
    const leftMs = bodyMs + (bytes / bytesPerSecondMin) * 1_000 - waitedMs;
    const askedAt = performance.now();
    const { value, done } = await within(chunks.next(), Math.min(idleMs, leftMs));
    waitedMs += performance.now() - askedAt;
    if (done === true) return;
    bytes += value.byteLength;
    yield value;
  }
}

async function within<Value>(coming: Promise<Value>, ms: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(tooSlow('the upload stalled'));
  }, ms);
  try {
    return await Promise.race([coming, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is not read into memory, and may take longer. */
    isStreamed?: boolean;
  }
}
