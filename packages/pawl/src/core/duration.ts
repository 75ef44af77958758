import { invalid } from './errors.ts';

/** A number of milliseconds, or a string such as '250ms', '5s', '3m', '2h', '3d' or '1.5s'. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const TEXT = /^(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)$/;

export const DURATION_FAULT = "must be milliseconds or a text like '5s'";

/** Whole milliseconds; null for what is no duration, which includes negative numbers and NaN. */
export function parseDuration(value: unknown): number | null {
  const ms = typeof value === 'string' ? textMs(value) : value;
  if (typeof ms !== 'number' || !(ms >= 0)) return null;
  const whole = Math.round(ms);
  return Number.isSafeInteger(whole) ? whole : null;
}

function textMs(text: string): number | null {
  const [, amount, unit] = TEXT.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** The same, with VALIDATION_ERROR for what is no duration; the pointer says where it stands. */
export function durationMs(value: Duration, pointer: string): number {
  const ms = parseDuration(value);
  if (ms === null) throw invalid([{ pointer, message: DURATION_FAULT }]);
  return ms;
}
