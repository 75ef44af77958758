// Server-sent events over fetch, because EventSource cannot carry a key.
import { readMessages, type SseMemory } from '../../pawl/src/client/sse.ts';
import type { JobEventJson, JobJson } from '../../pawl/src/contract/job.ts';
import { headers, isKeyWanted } from './api.ts';

export type Item =
  | { readonly kind: 'snapshot'; readonly job: JobJson }
  | { readonly kind: 'event'; readonly event: JobEventJson };

const RETRY_MS = 2_000;

/** Follows a stream until the signal, over any number of connections, without gap or repeat. */
export async function follow(
  path: string,
  {
    signal,
    see,
    from = null,
    onLine,
  }: {
    readonly signal: AbortSignal;
    /** The cursor to begin behind; without one, a snapshot comes and then what is new. */
    readonly from?: string | null;
    readonly see: (item: Item) => void;
    readonly onLine?: (isUp: boolean) => void;
  },
): Promise<void> {
  const memory: SseMemory = { lastEventId: from, retryMs: null };
  while (!signal.aborted) {
    try {
      const last = memory.lastEventId;
      const response = await fetch(path, {
        signal,
        headers: headers({
          accept: 'text/event-stream',
          ...(last === null ? {} : { 'last-event-id': last }),
        }),
      });
      if (response.status === 401) isKeyWanted.value = true;
      // Of what is over, or not there at all, nothing will come.
      if (response.status === 204 || response.status === 404) return;
      if (response.ok && response.body !== null) {
        onLine?.(true);
        for await (const { event, data } of readMessages(response.body, memory)) {
          if (event === 'reset') continue;
          const value: unknown = JSON.parse(data);
          if (event === 'snapshot') see({ kind: 'snapshot', job: value as JobJson });
          else see({ kind: 'event', event: value as JobEventJson });
        }
      }
    } catch {
      // The connection broke; the loop opens the next one.
    }
    onLine?.(false);
    await new Promise((resolve) => setTimeout(resolve, memory.retryMs ?? RETRY_MS));
  }
}
