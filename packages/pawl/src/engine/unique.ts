import type { Fault } from '../core/errors.ts';
import { isStorable } from '../core/text.ts';
import type { UniqueClaim } from '../store/unique.ts';

/**
 * At most one job at a time for (type, mode, key). The answer always names the job
 * that meets the request, and how:
 * - `throttle`: one job in each window of `windowMs`: `throttled`, the window's job, or `created`;
 * - `debounce`: the job waits until nobody has asked for `windowMs`, but `maxWaitMs` at most (ten
 *   windows by default): `debounced`, the delayed job, put off, or `created`;
 * - `replace`: until the job starts it gets the new input: `replaced`, or `created`.
 */
export interface UniqueWish {
  readonly key: string;
  readonly mode: 'throttle' | 'debounce' | 'replace';
  /** Needed by throttle and debounce; replace has no window. */
  readonly windowMs?: number;
  /** For debounce only. */
  readonly maxWaitMs?: number;
}

const MODES: readonly unknown[] = ['throttle', 'debounce', 'replace'];
const KEY_LENGTH_MAX = 512;
const WINDOW_MS_MAX = 30 * 86_400_000;
const WAIT_WINDOWS = 10;

export function uniqueClaimOf({ key, mode, windowMs = 0, maxWaitMs }: UniqueWish): UniqueClaim {
  const waitMaxMs = mode === 'debounce' ? (maxWaitMs ?? WAIT_WINDOWS * windowMs) : 0;
  return { key, mode, windowMs, waitMaxMs };
}

export function checkUnique(wish: UniqueWish | undefined): Fault[] {
  if (wish === undefined) return [];
  const { key, mode, windowMs, maxWaitMs } = wish;
  const faults: Fault[] = [];
  const isKey = typeof key === 'string' && key !== '' && key.length <= KEY_LENGTH_MAX;
  if (!isKey || !isStorable(key)) {
    const message =
      `must be a text of 1 to ${KEY_LENGTH_MAX} characters, ` +
      'without U+0000 and without halves of surrogate pairs';
    faults.push({ pointer: '/unique/key', message });
  }
  if (!MODES.includes(mode)) {
    faults.push({ pointer: '/unique/mode', message: `must be one of ${MODES.join(', ')}` });
    return faults;
  }
  if (mode === 'replace') {
    return [
      ...faults,
      ...absent('/unique/windowMs', windowMs),
      ...absent('/unique/maxWaitMs', maxWaitMs),
    ];
  }
  faults.push(...duration('/unique/windowMs', windowMs, 1));
  if (mode === 'throttle') return [...faults, ...absent('/unique/maxWaitMs', maxWaitMs)];
  if (maxWaitMs !== undefined) {
    faults.push(...duration('/unique/maxWaitMs', maxWaitMs, windowMs ?? 1));
  }
  return faults;
}

function absent(pointer: string, value: unknown): Fault[] {
  return value === undefined ? [] : [{ pointer, message: 'has no meaning in this mode' }];
}

function duration(pointer: string, value: unknown, min: number): Fault[] {
  const isFit = Number.isInteger(value) && (value as number) >= min;
  if (isFit && (value as number) <= WINDOW_MS_MAX) return [];
  return [{ pointer, message: `must be a whole number from ${min} to ${WINDOW_MS_MAX}` }];
}
