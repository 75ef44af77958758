import type { Random } from './random.ts';

export const JITTERS = ['none', 'equal', 'full', 'decorrelated'] as const;

export type Jitter = (typeof JITTERS)[number];

export type Backoff =
  | { readonly kind: 'fixed'; readonly baseMs: number }
  | {
      readonly kind: 'exponential';
      readonly baseMs: number;
      readonly factor: number;
      readonly maxMs: number;
      readonly jitter: Jitter;
    };

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
}

/** The same backoff before every retry. */
export function fixed(baseMs: number): Backoff {
  return { kind: 'fixed', baseMs };
}

/** A backoff that grows by a factor up to a maximum, with jitter. */
export function exponential(options: {
  baseMs: number;
  maxMs: number;
  factor?: number;
  jitter?: Jitter;
}): Backoff {
  const { baseMs, maxMs, factor = 2, jitter = 'full' } = options;
  return { kind: 'exponential', baseMs, factor, maxMs, jitter };
}

/**
 * The delay before a retry; `retry` counts from 1. `previousMs` is the delay before it (null for
 * the first), used only by decorrelated jitter.
 */
export function backoffMs(
  backoff: Backoff,
  retry: { number: number; previousMs: number | null },
  random: Random,
): number {
  if (backoff.kind === 'fixed') return backoff.baseMs;
  const { baseMs, factor, maxMs } = backoff;
  const between = (low: number, high: number): number => low + random.next() * (high - low);
  const plain = Math.min(maxMs, baseMs * factor ** (retry.number - 1));
  switch (backoff.jitter) {
    case 'none':
      return Math.round(plain);
    case 'equal':
      return Math.round(between(plain / 2, plain));
    case 'full':
      return Math.round(between(0, plain));
    case 'decorrelated':
      return Math.round(Math.min(maxMs, between(baseMs, 3 * (retry.previousMs ?? baseMs))));
  }
}
