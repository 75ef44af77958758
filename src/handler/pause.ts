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

export function pause(kind: Pause['kind'], delayMs: number): never {
  throw new Pause(kind, Math.max(0, Math.round(delayMs)));
}
