import type { Instant } from '../../core/clock.ts';
import type { Span, Timeline } from './timeline.ts';

/** What a stretch comes to, really or simulated. Times are null where nothing was measured. */
export interface Figures {
  /** Jobs that were due and not begun, at most and on average over time. */
  readonly backlogMax: number;
  readonly backlogMean: number;
  /** From due to begun; who still waits at the end counts with what it has waited. */
  readonly waitP50Ms: number | null;
  readonly waitP95Ms: number | null;
  readonly waitP99Ms: number | null;
  /** From the first time due to the end of the job. */
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly ended: number;
  readonly endedPerSecond: number;
  /** Jobs that were due and not begun when the stretch ended. */
  readonly waitingAtEnd: number;
  /** The share of the slots' time in which a handler ran; null without slots. */
  readonly utilisation: number | null;
}

export interface Presence extends Span {
  readonly slots: number;
}

/** What jobs come to in a stretch, on these slots. */
export function figuresOf(
  jobs: readonly Timeline[],
  span: Span,
  slots: readonly Presence[] | null,
): Figures {
  const waits: number[] = [];
  const latencies: number[] = [];
  let [waitingAtEnd, busyMs] = [0, 0];
  for (const { attempts, endedAt } of jobs) {
    for (const { dueAt, startedAt, endedAt: until } of attempts) {
      const begunAt = startedAt ?? Infinity;
      if (begunAt < span.to) {
        busyMs += Math.min(until ?? span.to, span.to) - Math.max(begunAt, span.from);
        if (begunAt > span.from || dueAt >= span.from) waits.push(begunAt - dueAt);
      } else if ((until ?? Infinity) >= span.to && dueAt < span.to) {
        waits.push(span.to - dueAt);
        waitingAtEnd += 1;
      }
    }
    const isEnd = endedAt !== null && endedAt >= span.from && endedAt < span.to;
    if (isEnd && attempts.length > 0) latencies.push(endedAt - attempts[0]!.dueAt);
  }
  const [wait, latency] = [quantilesOf(waits), quantilesOf(latencies)];
  const { max, mean } = backlogOf(jobs, span);
  return {
    backlogMax: max,
    backlogMean: mean,
    waitP50Ms: wait(0.5),
    waitP95Ms: wait(0.95),
    waitP99Ms: wait(0.99),
    latencyP50Ms: latency(0.5),
    latencyP95Ms: latency(0.95),
    ended: latencies.length,
    endedPerSecond: (latencies.length * 1_000) / (span.to - span.from),
    waitingAtEnd,
    utilisation: slots === null ? null : shareOf(busyMs, slots, span),
  };
}

function shareOf(busyMs: number, slots: readonly Presence[], span: Span): number | null {
  const thereMs = slots.reduce((sum, { slots: count, from, to }) => {
    return sum + count * Math.max(0, Math.min(to, span.to) - Math.max(from, span.from));
  }, 0);
  return thereMs === 0 ? null : busyMs / thereMs;
}

/** The value that this share of all did not exceed. */
function quantilesOf(values: number[]): (share: number) => number | null {
  values.sort((one, other) => one - other);
  return (share) => values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null;
}

interface Edge {
  readonly at: Instant;
  readonly change: 1 | -1;
}

function backlogEdges(jobs: readonly Timeline[], { from, to }: Span): Edge[] {
  const edges: Edge[] = [];
  for (const { attempts } of jobs) {
    for (const { dueAt, startedAt, endedAt } of attempts) {
      const until = startedAt ?? endedAt ?? to;
      if (dueAt >= to || until <= from || until <= dueAt) continue;
      edges.push({ at: Math.max(from, dueAt), change: 1 });
      if (until < to) edges.push({ at: until, change: -1 });
    }
  }
  return edges.sort((one, other) => one.at - other.at || one.change - other.change);
}

function backlogOf(jobs: readonly Timeline[], span: Span): { max: number; mean: number } {
  const series = backlogSeries(jobs, span, 1);
  return { max: series.max, mean: series.means[0]! };
}

/** The backlog on average over each of so many equal parts of a stretch, and at most. */
export function backlogSeries(
  jobs: readonly Timeline[],
  span: Span,
  parts: number,
): { readonly max: number; readonly means: readonly number[] } {
  const stepMs = (span.to - span.from) / parts;
  const sums = Array.from({ length: parts }, () => 0);
  let [count, max, since] = [0, 0, span.from];
  const pass = (until: Instant): void => {
    for (let part = Math.floor((since - span.from) / stepMs); part < parts; part++) {
      const begin = Math.max(since, span.from + part * stepMs);
      const end = Math.min(until, span.from + (part + 1) * stepMs);
      if (begin >= until) break;
      sums[part]! += count * Math.max(0, end - begin);
    }
    since = until;
  };
  for (const { at, change } of backlogEdges(jobs, span)) {
    pass(at);
    count += change;
    max = Math.max(max, count);
  }
  pass(span.to);
  return { max, means: sums.map((sum) => sum / stepMs) };
}
