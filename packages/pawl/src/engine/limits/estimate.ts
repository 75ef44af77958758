import type { Instant } from '../../core/clock.ts';
import type { Rate } from '../../core/limits.ts';
import { RECENT_MS, type Standing } from '../../store/standing.ts';

/** When a job should start, and what that guess goes by. Nobody promises it. */
export interface Estimate {
  readonly at: Instant;
  readonly basis: 'throughput' | 'slots' | 'rate';
}

/** Its turn comes when so many of its type have ended, at the pace of the last minute. */
export function byThroughput({ at, ahead, endedLately }: Standing): Estimate | null {
  if (endedLately === 0) return null;
  return { at: Math.round(at + ((ahead + 1) * RECENT_MS) / endedLately), basis: 'throughput' };
}

/**
 * A slot of its key is free each time one of the holders ends. How long that takes: as many as are
 * in flight of its type, over the pace at which they end.
 */
export function bySlots({ at, ahead, endedLately, owned, holders }: Standing): Estimate | null {
  if (endedLately === 0 || owned.type === 0 || holders.length === 0) return null;
  const turnMs = (owned.type * RECENT_MS) / endedLately;
  return { at: Math.round(at + ((ahead + 1) * turnMs) / holders.length), basis: 'slots' };
}

/** Tokens come by the clock, one for each who waits before it. */
export function byRate({ ahead, nextTokenAt }: Standing, rate: Rate | null): Estimate | null {
  if (nextTokenAt === null || rate === null) return null;
  return { at: Math.round(nextTokenAt + (ahead * rate.perMs) / rate.max), basis: 'rate' };
}
