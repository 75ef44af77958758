import type { Instant } from './clock.ts';
import type { Rate } from './limits.ts';

/**
 * How full a limiter of starts is: a start adds one, time takes it away again. Who is let in but
 * has not started yet is counted beside it: both together never exceed the rate's max.
 * Hence, however late they start, there are no more starts in any time T than max + T·max/perMs.
 */
export interface RateLevel {
  readonly level: number;
  readonly at: Instant;
}

export const EMPTY_LEVEL: RateLevel = { level: 0, at: 0 };

/** Sums of fractions are a little off: what is this close to a whole token is one. */
const CLOSE = 1e-6;

export function levelAt({ level, at }: RateLevel, rate: Rate, now: Instant): RateLevel {
  if (now <= at) return { level, at };
  return { level: Math.max(0, level - (rate.max / rate.perMs) * (now - at)), at: now };
}

/** After so many starts at one moment. */
export function levelAfter(before: RateLevel, rate: Rate, now: Instant): RateLevel {
  const { level, at } = levelAt(before, rate, now);
  return { level: level + 1, at };
}

/** How many more may be let in while `open` have been and did not start. */
export function tokensLeft({ level }: RateLevel, rate: Rate, open: number): number {
  return Math.max(0, Math.floor(rate.max - level - open + CLOSE));
}

/** When the next one may be let in, as far as that depends on time. */
export function nextTokenAt(before: RateLevel, rate: Rate, open: number): Instant {
  const missing = 1 - (rate.max - before.level - open);
  return before.at + Math.max(1, Math.ceil((missing * rate.perMs) / rate.max));
}
