import { type Duration, durationMs } from '../core/duration.ts';

/** Thrown by `snooze` and `advance` to end the turn. */
export class Pause extends Error {
  readonly kind: 'snooze' | 'advance';
  readonly delayMs: number;

  constructor(kind: Pause['kind'], delayMs: number) {
    super(`the handler pauses for ${delayMs} ms`);
    this.name = 'Pause';
    this.kind = kind;
    this.delayMs = delayMs;
  }
}

/** A time that has passed already, as the difference of two clocks may be, is no delay. */
export function pause(kind: Pause['kind'], delay: Duration): never {
  const isPast = typeof delay === 'number' && delay < 0;
  throw new Pause(kind, isPast ? 0 : durationMs(delay, '/delay'));
}
