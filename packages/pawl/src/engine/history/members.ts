import { type BinCount, binOf, quantileMs } from '../../core/bins.ts';
import type { HistoryCountName } from '../../core/history-count.ts';
import type { LogEntry } from '../../store/query.ts';

/** Sums by name: counts, and a member for each bin of waits (`w12`) and durations (`d40`). */
export type Members = Record<string, number>;

/** What an entry counts as; null where it is none of these. */
export function countNameOf({ event, phase }: LogEntry): HistoryCountName | null {
  switch (event) {
    case 'job_created':
      return 'enqueued';
    case 'job_claimed':
    case 'job_started':
      return phase === 'executing' ? 'started' : null;
    case 'job_succeeded':
      return 'succeeded';
    case 'job_failed':
      return phase === 'cancelled' ? 'cancelled' : 'failed';
    case 'job_dead_lettered':
      return 'dead';
    case 'job_cancelled':
      return 'cancelled';
    case 'job_retry_scheduled':
      return 'retried';
    case 'job_requeued':
      return 'requeued';
    case 'job_snoozed':
    case 'job_suspended':
      return 'snoozed';
    default:
      return null;
  }
}

/** Which times of an entry are kept: waits of all who begin, durations of those that succeed. */
function binPrefix(name: HistoryCountName): string | null {
  if (name === 'started') return 'w';
  return name === 'succeeded' ? 'd' : null;
}

export function addEntry(members: Members, entry: LogEntry, name: HistoryCountName): void {
  members[name] = (members[name] ?? 0) + entry.count;
  const prefix = binPrefix(name);
  if (prefix === null) return;
  const { times, count } = entry;
  for (const [index, ms] of times.entries()) {
    if (ms === null) continue;
    // Each of a sample stands for as many jobs, and all of them together for the whole entry.
    const from = Math.floor((index * count) / times.length);
    const weight = Math.floor(((index + 1) * count) / times.length) - from;
    const bin = `${prefix}${binOf(ms)}`;
    members[bin] = (members[bin] ?? 0) + weight;
  }
}

export interface Quantiles {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Null where there is nothing to tell of. */
export function quantilesOf(members: Readonly<Members>, prefix: 'w' | 'd'): Quantiles {
  const bins = Object.entries(members).flatMap(([name, count]): BinCount[] =>
    name.startsWith(prefix) && /^[wd]\d+$/.test(name)
      ? [{ bin: Number(name.slice(1)), count }]
      : [],
  );
  return { p50Ms: quantileMs(bins, 0.5), p95Ms: quantileMs(bins, 0.95) };
}
