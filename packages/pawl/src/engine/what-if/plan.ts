import type { Instant } from '../../core/clock.ts';
import { limitKeysOf, type LimitPolicy } from '../../core/limits.ts';
import { SeededRandom } from '../../core/random.ts';
import type { GateKeys } from '../../store/gate.ts';
import type { RecordedAttempt, RecordedJob, Stretch } from './stretch.ts';
import type { Span } from './timeline.ts';

/** An attempt of a simulated job: how long it takes, and what comes after it. */
export interface PlannedAttempt {
  readonly durationMs: number;
  /** So long after its end another one is due; null: the job has ended. */
  readonly thenMs: number | null;
}

/** What a simulation does with a job. */
export interface PlannedJob extends GateKeys {
  readonly tenant: string;
  readonly type: string;
  readonly queue: string;
  readonly priority: number;
  readonly limits: LimitPolicy | null;
  readonly dueAt: Instant;
  /** It has begun before the stretch, by this worker if that is known. */
  readonly isBegun: boolean;
  readonly worker: string | null;
  readonly attempts: readonly PlannedAttempt[];
  /** From then on it is not started any more: it was cancelled in its line. */
  readonly leavesAt: Instant | null;
}

const SEED = 29;

/**
 * The jobs of a stretch as a simulation plays them. An attempt whose end the log does not tell is
 * given the duration of another one of its type.
 */
export function planOf({ jobs, from, to }: Stretch): PlannedJob[] {
  const known = new Durations(jobs, from);
  const ordered = jobs.filter(({ attempts }) => attempts.length > 0 && attempts[0]!.dueAt < to);
  return ordered
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map((job) => planned(job, { known, from, to }));
}

interface Known extends Span {
  readonly known: Durations;
}

function planned(job: RecordedJob, { known, from, to }: Known): PlannedJob {
  const { tenant, type, queue, priority, limits, attempts, labels } = job;
  const first = attempts[0]!;
  const last = attempts.at(-1)!;
  const left = last.startedAt === null ? last.endedAt : null;
  const keys = limitKeysOf(limits, { ...labels, type }, tenant);
  return {
    tenant,
    type,
    queue,
    priority,
    limits,
    limitKey: keys.running,
    userKey: keys.user,
    organisationKey: keys.organisation,
    dueAt: first.dueAt,
    isBegun: first.startedAt !== null && first.startedAt <= from && first.dueAt < from,
    worker: first.worker,
    attempts: attempts.map((attempt, at): PlannedAttempt => {
      const next = attempts[at + 1];
      const durationMs = durationOf(attempt, type, { known, from, to });
      if (next === undefined || attempt.endedAt === null) return { durationMs, thenMs: null };
      return { durationMs, thenMs: Math.max(0, next.dueAt - attempt.endedAt) };
    }),
    leavesAt: left,
  };
}

function durationOf(
  { startedAt, endedAt }: RecordedAttempt,
  type: string,
  { known, to }: Known,
): number {
  if (startedAt === null) return known.any(type, 0);
  return endedAt === null ? known.any(type, to - startedAt) : endedAt - startedAt;
}

/** Durations that are known, by type; the same stretch gives the same ones again. */
class Durations {
  readonly #byType: ReadonlyMap<string, readonly number[]>;
  readonly #random = new SeededRandom(SEED);

  constructor(jobs: readonly RecordedJob[], from: Instant) {
    const byType = new Map<string, number[]>();
    for (const { type, attempts } of jobs) {
      for (const { startedAt, endedAt } of attempts) {
        if (startedAt === null || endedAt === null || startedAt <= from) continue;
        const known = byType.get(type);
        if (known === undefined) byType.set(type, [endedAt - startedAt]);
        else known.push(endedAt - startedAt);
      }
    }
    for (const durations of byType.values()) durations.sort((one, other) => one - other);
    this.#byType = byType;
  }

  /** One that is at least so long, if there is one. */
  any(type: string, atLeastMs: number): number {
    const known = this.#byType.get(type) ?? [];
    const first = firstFrom(known, atLeastMs);
    if (first === known.length) return atLeastMs;
    return known[first + this.#random.below(known.length - first)]!;
  }
}

/** The index of the first that is not smaller, in an ordered list. */
function firstFrom(ordered: readonly number[], least: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
