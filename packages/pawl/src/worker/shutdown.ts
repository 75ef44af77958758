import type { DrainOptions, Worker } from './worker.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** What of the process is used; tests hand in their own. */
export interface SignalSource {
  on(signal: (typeof SIGNALS)[number], listener: () => void): unknown;
  off(signal: (typeof SIGNALS)[number], listener: () => void): unknown;
}

/**
 * Drains the worker on the first SIGTERM or SIGINT, and stops it at once on the second. Resolves
 * when the worker has stopped; it does not end the process.
 */
export async function drainOnSignal(
  worker: Pick<Worker, 'drain'>,
  options: DrainOptions & { readonly signals?: SignalSource } = {},
): Promise<void> {
  const { signals = process, ...drain } = options;
  const stopped = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = (): void => {
    const how = count++ === 0 ? drain : { timeout: 0, grace: 0 };
    worker.drain(how).then(stopped.resolve, stopped.reject);
  };
  for (const signal of SIGNALS) signals.on(signal, onSignal);
  try {
    await stopped.promise;
  } finally {
    for (const signal of SIGNALS) signals.off(signal, onSignal);
  }
}
