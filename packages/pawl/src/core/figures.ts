import type { Instant } from './clock.ts';
import type { Phase } from './phase.ts';

/**
 * What the figures mean that API, command line, metrics, history and dashboard show: whoever shows
 * one of them asks here. In words: docs/reference/figures.md.
 */

/** Running: a handler works on it right now. A job that was only handed out is not running yet. */
export function isRunning(phase: Phase): boolean {
  return phase === 'executing';
}

/** Backlog: ready, to begin as soon as it is due and somebody has room. */
export function isBacklog(phase: Phase): boolean {
  return phase === 'ready';
}

/** Silent: three signs of life in a row did not come. */
const WORKER_SILENT_MS = 30_000;

export function isSilent({ lastBeatAt }: { readonly lastBeatAt: Instant }, now: Instant): boolean {
  return now - lastBeatAt > WORKER_SILENT_MS;
}

/** Capacity: the slots of workers that take new jobs. Who is silent or leaving takes none. */
export function capacityOf(
  workers: readonly {
    readonly state: 'working' | 'draining' | 'silent';
    readonly slots: number | null;
  }[],
): { readonly slots: number; readonly workers: number; readonly silent: number } {
  const working = workers.filter(({ state }) => state === 'working');
  const slots = working.reduce((sum, one) => sum + (one.slots ?? 0), 0);
  const silent = workers.filter(({ state }) => state === 'silent').length;
  return { slots, workers: working.length, silent };
}
