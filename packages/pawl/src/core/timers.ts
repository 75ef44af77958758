/** The source of timers. Core and engine use no others. */
export interface Timers {
  /** Resolves after the time, or at once when the signal is aborted; it never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves in the next turn of the event loop; left out where time moves only when told to. */
  turn?(): Promise<void>;
}

/** The timers of the runtime. */
export const systemTimers: Timers = {
  // By hand: the platform's promise makes an error, with its stack, of a sleep that is cut short.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
    }),
  turn: () => new Promise((resolve) => void setImmediate(resolve)),
};
