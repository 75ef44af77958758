import type { Clock, Instant } from 'pawl/internal/core/clock';
import type { RetentionPolicy } from 'pawl/internal/engine/retention/policy';

export const DAY_MS = 86_400_000;

/** A clock whose days pass in seconds, so that a run of minutes sees days come and go. */
export function shortDays(dayMs: number): Clock {
  const startedAt: Instant = Date.UTC(2026, 0, 1);
  const began = performance.now();
  const factor = DAY_MS / dayMs;
  return { now: () => Math.round(startedAt + (performance.now() - began) * factor) };
}

/** Everything is kept as briefly as a policy may say, and dead letters a day longer. */
export const RETENTION: RetentionPolicy = {
  jobsMs: DAY_MS,
  notesMs: DAY_MS,
  feedMs: DAY_MS,
  keysMs: 0,
  firesMs: DAY_MS,
  deadLettersMs: 2 * DAY_MS,
};
