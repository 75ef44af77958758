import { setTimeout as delay } from 'node:timers/promises';

/** How waiting is done. Core and engine never set a timer of their own. */
export interface Timers {
  /** Resolves after the time, or at once when the signal is aborted; it never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemTimers: Timers = {
  sleep: (ms, signal) => delay(ms, undefined, { signal, ref: true }).catch(() => undefined),
};
