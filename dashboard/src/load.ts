import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Signal<Value | null>;
  readonly error: Signal<Error | null>;
  /** Asks again now. */
  readonly reload: () => void;
}

export interface LoadOptions {
  /** Asks again after so long, while the page is seen. */
  readonly everyMs?: number;
}

/** Something from the server that is kept fresh while the part that shows it is on the page. */
export function useLoaded<Value>(
  read: () => Promise<Value>,
  watch: readonly unknown[],
  { everyMs }: LoadOptions = {},
): Loaded<Value> {
  const value = useSignal<Value | null>(null);
  const error = useSignal<Error | null>(null);
  const turn = useSignal(0);
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      try {
        const found = await read();
        if (isGone) return;
        value.value = found;
        error.value = null;
      } catch (fault) {
        if (!isGone) error.value = fault as Error;
      }
      if (everyMs !== undefined && !isGone) timer = setTimeout(tick, everyMs);
    };
    const tick = (): void => {
      if (document.visibilityState === 'visible') void run();
      else timer = setTimeout(tick, everyMs);
    };
    void run();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [...watch, turn.value]);
  return { value, error, reload: () => (turn.value += 1) };
}
