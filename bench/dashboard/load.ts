// Jobs in the store, and a steady stream of events.
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from 'pawl/client';

const BATCH = 1_000;
const WRITERS = 4;
const FAR_AWAY = '2100-01-01T00:00:00Z';
const TURN_MS = 100;
/** Of one blink: created, claimed, started, succeeded. */
const EVENTS_A_BLINK = 4;
/** The share of events that come of jobs that run; the others are accepted and wait. */
const RUN_SHARE = 0.4;

const BLINK = { type: 'blink', input: {} };
const WAITING = { ...BLINK, runAt: FAR_AWAY };

/** Jobs that wait for a day far away: they are listed, and nobody takes them. */
export async function fillStore(client: ApiClient, jobs: number): Promise<void> {
  let left = jobs;
  const writer = async (): Promise<void> => {
    while (left > 0) {
      const count = Math.min(BATCH, left);
      left -= count;
      await client.enqueueMany(Array.from({ length: count }, () => WAITING));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** Of so many events a second: what runs, and what only comes. */
function batchFor(events: number): (typeof BLINK)[] {
  const runs = Math.round((events * RUN_SHARE) / EVENTS_A_BLINK);
  const waits = Math.max(0, events - runs * EVENTS_A_BLINK);
  return [
    ...Array.from({ length: runs }, () => BLINK),
    ...Array.from({ length: Math.min(waits, BATCH - runs) }, () => WAITING),
  ];
}

/** Enqueues jobs until the signal, so that about so many events come of them a second. */
export async function streamEvents(
  client: ApiClient,
  eventsPerSecond: number,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  let made = 0;
  while (!signal.aborted) {
    const due = ((performance.now() - startedAt) / 1_000) * eventsPerSecond;
    const events = Math.min(BATCH, Math.floor(due - made));
    if (events > 0) {
      await client.enqueueMany(batchFor(events));
      made += events;
    }
    await pause(TURN_MS, undefined, { signal }).catch(() => undefined);
  }
}
