// What happens everywhere, counted by the second: the pulse of the overview.
import { signal } from '@preact/signals';
import type { JobEventJson } from '../../src/http/schema/job.ts';
import { follow } from './stream.ts';

export interface Second {
  readonly at: number;
  created: number;
  succeeded: number;
  failed: number;
}

const SECONDS_KEPT = 300;
const RECENT_KEPT = 40;

/** One entry a second, the last five minutes; what was before the page opened is nothing. */
export const seconds = signal<readonly Second[]>(
  Array.from({ length: SECONDS_KEPT }, (_, index) =>
    newSecond(Date.now() - (SECONDS_KEPT - index) * 1_000),
  ),
);
/** The latest moves of any job, newest first. */
export const recent = signal<readonly JobEventJson[]>([]);

/** `lost` is a line that was up before: the page then shows what it last knew. */
export const line = signal<'opening' | 'up' | 'lost'>('opening');

let current: Second = newSecond(Date.now());
let fresh: JobEventJson[] = [];

function newSecond(at: number): Second {
  return { at: Math.floor(at / 1_000), created: 0, succeeded: 0, failed: 0 };
}

function count(event: JobEventJson): void {
  if (event.type === 'job_created') current.created += 1;
  else if (event.type === 'job_succeeded') current.succeeded += 1;
  else if (event.type === 'job_failed' || event.type === 'job_dead_lettered') current.failed += 1;
  else return;
  fresh.push(event);
}

/** Signals change once a second, however much happens. */
function turnOver(): void {
  seconds.value = [...seconds.value.slice(1 - SECONDS_KEPT), current];
  current = newSecond(Date.now());
  if (fresh.length > 0) {
    const newest = fresh.slice(-RECENT_KEPT).reverse();
    recent.value = [...newest, ...recent.value].slice(0, RECENT_KEPT);
  }
  fresh = [];
}

let watching: { readonly key: string | null; readonly stop: AbortController } | null = null;

/** Follows the whole log once, with the key of the moment. */
export function watchEverything(key: string | null): void {
  if (watching?.key === key) return;
  watching?.stop.abort();
  const stop = new AbortController();
  if (watching === null) setInterval(turnOver, 1_000);
  watching = { key, stop };
  void follow('./v1/events', {
    signal: stop.signal,
    see: (item) => {
      if (item.kind === 'event') count(item.event);
    },
    onLine: (isUp) => {
      if (isUp) line.value = 'up';
      else if (line.value === 'up') line.value = 'lost';
    },
  });
}
