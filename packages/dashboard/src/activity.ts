// What happens everywhere, counted by the second: the pulse of the overview.
import { signal } from '@preact/signals';
import type { JobEventJson } from '../../pawl/src/contract/job.ts';
import { follow } from './stream.ts';

export interface Second {
  readonly at: number;
  created: number;
  succeeded: number;
  failed: number;
}

const SECONDS_KEPT = 300;
const RECENT_KEPT = 40;

const PARTS: Readonly<Record<string, 'created' | 'succeeded' | 'failed'>> = {
  job_created: 'created',
  job_succeeded: 'succeeded',
  job_failed: 'failed',
  job_dead_lettered: 'failed',
};

/** One entry a second, the last five minutes; what was before the page opened is nothing. */
export const seconds = signal<readonly Second[]>(
  Array.from({ length: SECONDS_KEPT }, (_, index) => newSecond(secondNow() - SECONDS_KEPT + index)),
);
/** The latest moves of any job, newest first. */
export const recent = signal<readonly JobEventJson[]>([]);

/** `lost` is a line that was up before: the page then shows what it last knew. */
export const line = signal<'opening' | 'up' | 'lost'>('opening');

/** From the second after the last that is shown; the last of them is still being counted. */
let counted: Second[] = [newSecond(secondNow())];
let fresh: JobEventJson[] = [];

function secondNow(): number {
  return Math.floor(Date.now() / 1_000);
}

function newSecond(at: number): Second {
  return { at, created: 0, succeeded: 0, failed: 0 };
}

/** The second of this moment; those in which nothing came are counted too. */
function current(): Second {
  const now = secondNow();
  // A tab that slept for hours has nothing to tell of most of them.
  const from = Math.max(counted.at(-1)!.at + 1, now - SECONDS_KEPT);
  for (let at = from; at <= now; at++) counted.push(newSecond(at));
  return counted.at(-1)!;
}

function count(event: JobEventJson): void {
  const part = PARTS[event.type];
  if (part === undefined) return;
  current()[part] += 1;
  fresh.push(event);
  // Hidden tabs turn over rarely, and what comes meanwhile must not pile up.
  if (fresh.length > 4 * RECENT_KEPT) fresh = fresh.slice(-RECENT_KEPT);
}

/** Signals change once a second, however much happens. */
function turnOver(): void {
  const open = current();
  const closed = counted.slice(0, -1);
  counted = [open];
  if (closed.length > 0) seconds.value = [...seconds.value, ...closed].slice(-SECONDS_KEPT);
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
