import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Signal<Value | null>;
  readonly error: Signal<Error | null>;
  /** Asks again now; while an answer is on its way, once more after it. */
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
  const ask = useRef<() => void>(() => undefined);
  useEffect(() => {
    let isGone = false;
    let isAsking = false;
    let isWanted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      isAsking = true;
      clearTimeout(timer);
      try {
        const found = await read();
        if (isGone) return;
        value.value = found;
        error.value = null;
      } catch (fault) {
        if (!isGone) error.value = fault as Error;
      }
      isAsking = false;
      if (isGone) return;
      if (isWanted) again();
      else if (everyMs !== undefined) timer = setTimeout(tick, everyMs);
    };
    const again = (): void => {
      isWanted = isAsking;
      if (!isAsking) void run();
    };
    const tick = (): void => {
      if (document.visibilityState === 'visible') void run();
      else timer = setTimeout(tick, everyMs);
    };
    ask.current = again;
    void run();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, watch);
  return { value, error, reload: () => ask.current() };
}
