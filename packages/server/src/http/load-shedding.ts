import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';

export interface LoadLimits {
  /** Requests under way at once; open streams and waits are not counted. */
  readonly inFlightMax: number;
  /** How late timers may be, on average and for two seconds, before requests are turned away. */
  readonly lagMsMax: number;
}

export const LOAD_LIMITS: LoadLimits = { inFlightMax: 2_000, lagMsMax: 1_000 };

/** Whoever asks how the server is must be told, above all when it has too much to do. */
export const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/livez', '/readyz']);

const SAMPLE_MS = 20;
const WINDOW_MS = 1_000;

/** How late the event loop runs: over two seconds, so that one pause alone turns nobody away. */
function loopLag(): { lagMs: () => number; stop: () => void } {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();
  let [beforeMs, lastMs] = [0, 0];
  const timer = setInterval(() => {
    beforeMs = lastMs;
    lastMs = Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6 - SAMPLE_MS;
    histogram.reset();
  }, WINDOW_MS);
  timer.unref();
  return {
    lagMs: () => Math.min(beforeMs, lastMs),
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

/**
 * Turns requests away early while there is more work than the process can do: an answer that
 * comes too late for its caller only keeps the next one waiting.
 */
export function shedLoad(app: FastifyInstance, limits: LoadLimits): void {
  const { lagMs, stop } = loopLag();
  let inFlight = 0;
  app.addHook('onClose', async () => stop());
  app.addHook('onRequest', async (request, reply) => {
    if (ALWAYS_ANSWERED.has(request.routeOptions.url ?? '')) return;
    if (inFlight >= limits.inFlightMax || lagMs() > limits.lagMsMax) {
      throw new PawlError('SERVER_BUSY', 'the server is overloaded');
    }
    if (request.routeOptions.config.isLong) return;
    inFlight++;
    // `close` comes once for every request, also for one whose caller has gone.
    reply.raw.once('close', () => inFlight--);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** May wait for long: does not count as work under way. */
    isLong?: boolean;
  }
}
