import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from './api.ts';

/** What failed is asked for again, so that the page mends itself when the server is back. */
const AGAIN_MS = 3_000;

/** An answer that would be the same again; a server that is busy or gone may come round. */
function isFinal(fault: unknown): boolean {
  return fault instanceof ApiError && fault.status < 500 && fault.status !== 429;
}

export interface Loaded<Value> {
  readonly value: Signal<Value | null>;
  readonly error: Signal<Error | null>;
  /** What is shown was the answer to another question; the one to this is on its way. */
  readonly isStale: Signal<boolean>;
  /** Asks again now; while an answer is on its way, once more after it. */
  readonly reload: () => void;
}

/** True once the answer is there, or is known not to come. */
export function isSettled({ value, error }: Loaded<unknown>): boolean {
  return value.value !== null || error.value !== null;
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
  const isStale = useSignal(false);
  const ask = useRef<() => void>(() => undefined);
  useEffect(() => {
    let isGone = false;
    let isAsking = false;
    let isWanted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      isAsking = true;
      clearTimeout(timer);
      let nextMs = everyMs;
      try {
        const found = await read();
        if (isGone) return;
        value.value = found;
        error.value = null;
        isStale.value = false;
      } catch (fault) {
        if (isGone) return;
        error.value = fault as Error;
        if (!isFinal(fault)) nextMs = Math.min(AGAIN_MS, everyMs ?? AGAIN_MS);
      }
      isAsking = false;
      if (isGone) return;
      if (isWanted) again();
      else if (nextMs !== undefined) timer = setTimeout(tick, nextMs);
    };
    const again = (): void => {
      isWanted = isAsking;
      if (!isAsking) void run();
    };
    const tick = (): void => {
      if (document.visibilityState === 'visible') void run();
      else timer = setTimeout(tick, everyMs ?? AGAIN_MS);
    };
    ask.current = again;
    isStale.value = value.peek() !== null;
    void run();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, watch);
  return { value, error, isStale, reload: () => ask.current() };
}
