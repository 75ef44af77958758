import type { Grain } from '../records/ends.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Ends are counted by stretches of these lengths, so a window may reach back by up to one more.
 * Short ones are for the windows of hours, long ones for those of days, which then stay cheap.
 */
export const STRETCH_MS: Readonly<Record<Grain, number>> = { short: 5 * MINUTE_MS, long: HOUR_MS };

/** The rolling windows, the shortest first. The promises are over the last one. */
export const WINDOWS = [
  { name: '5m', ms: 5 * MINUTE_MS, grain: 'short' },
  { name: '1h', ms: HOUR_MS, grain: 'short' },
  { name: '6h', ms: 6 * HOUR_MS, grain: 'short' },
  { name: '1d', ms: DAY_MS, grain: 'long' },
  { name: '7d', ms: 7 * DAY_MS, grain: 'long' },
] as const;

export type WindowName = (typeof WINDOWS)[number]['name'];

export const PROMISED: WindowName = '7d';

/** A little longer than the longest window of each. */
export const KEPT_MS: Readonly<Record<Grain, number>> = { short: 7 * HOUR_MS, long: 8 * DAY_MS };

/**
 * The budget burns too fast when it does so over a long window and still does over a short one. At
 * 16.8 a tenth of the week's budget is gone in an hour, at 5.6 a fifth of it in six hours.
 */
export const ALERTS = [
  { name: 'fast', long: '1h', short: '5m', burnRate: 16.8 },
  { name: 'slow', long: '6h', short: '1h', burnRate: 5.6 },
] as const;

export type AlertName = (typeof ALERTS)[number]['name'];

/** The start of the stretch that a moment lies in. */
export function startOf(at: number, grain: Grain): number {
  return Math.floor(at / STRETCH_MS[grain]) * STRETCH_MS[grain];
}
