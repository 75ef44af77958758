/** A second signal within this time is the same key press, passed on twice by npm. */
const SAME_SIGNAL_MS = 500;

/** Resolves on the first signal; a later one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const onSignal = (): void => {
      const now = performance.now();
      if (firstAt !== null && now - firstAt > SAME_SIGNAL_MS) process.exit(130);
      firstAt ??= now;
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
