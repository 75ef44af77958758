import { setTimeout as delay } from 'node:timers/promises';

/** As long as a loaded machine may take; nothing waits so long by itself. */
const PATIENCE_MS = 120_000;

export interface EventuallyOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Waits for something that a real process does, which no signal of ours can tell. Resolves with the
 * first value that is neither false, null nor undefined; fails with what it waited for.
 */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  { timeoutMs = PATIENCE_MS, everyMs = 10 }: EventuallyOptions = {},
): Promise<NonNullable<Exclude<Value, false>>> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== false && value !== null && value !== undefined) {
      return value as NonNullable<Exclude<Value, false>>;
    }
    if (performance.now() > until) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(everyMs);
  }
}
