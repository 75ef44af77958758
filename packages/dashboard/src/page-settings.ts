// What the server tells of this page before anybody has signed in.
import { signal } from '@preact/signals';
import type { PageJson } from '../../pawl/src/contract/page.ts';
import { get } from './api.ts';

/** Null before the first answer. */
export const settings = signal<PageJson | null>(null);

let asked: Promise<PageJson> | null = null;

/** Asks once; an answer that did not come is asked for again the next time. */
export function askSettings(): Promise<PageJson> {
  asked ??= get<PageJson>('./v1/page').then(
    (found) => (settings.value = found),
    (error: unknown) => {
      asked = null;
      throw error;
    },
  );
  return asked;
}

/** Where a trace is shown; null where nobody said. */
export function traceHref(traceId: string): string | null {
  const url = settings.value?.traceUrl ?? null;
  return url?.replaceAll('{traceId}', encodeURIComponent(traceId)) ?? null;
}
