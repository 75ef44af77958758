import type { Clock } from '../core/clock.ts';

/**
 * Time that never jumps, for durations only. It goes on while a process is stopped, but on most
 * systems not while the whole machine sleeps; there the database's clock has the last word.
 */
export const monotonicClock: Clock = { now: () => performance.now() };
