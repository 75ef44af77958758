import { type Duration, durationMs } from '../core/duration.ts';
import { invalid } from '../core/errors.ts';
import type { Phase } from '../core/phase.ts';

export interface QueueLimits {
  /** At most so many of its jobs run at once; null for no bound. */
  readonly concurrency?: number | null;
  /** From this depth on new jobs are refused, until it has fallen to the low one. */
  readonly highWatermark?: number | null;
  readonly lowWatermark?: number | null;
}

/** A queue with its counts and settings. */
export interface QueueSnapshot {
  readonly name: string;
  readonly isPaused: boolean;
  /** When the pause ends automatically; null where it has to be resumed. */
  readonly pausedUntil: Date | null;
  /** Why it is paused, as somebody wrote. */
  readonly reason: string | null;
  readonly concurrency: number | null;
  readonly highWatermark: number | null;
  readonly lowWatermark: number | null;
  /** New jobs are being refused. */
  readonly isShedding: boolean;
  /** Jobs that are ready. */
  readonly depth: number;
  readonly counts: QueueCounts;
  readonly oldestReadyAt: Date | null;
  readonly types: readonly string[];
}

type LivePhase = Exclude<Phase, 'succeeded' | 'failed' | 'cancelled' | 'dead'>;

/** Number of jobs that have not ended, by phase. */
export type QueueCounts = Readonly<Record<LivePhase, number>> & {
  /** Phases of which there may be more than were counted. */
  readonly atLeast: readonly string[];
};

/** What can be asked of a queue; a queue comes to be with its first job. */
export interface QueueAccess {
  readQueue(name: string): Promise<QueueSnapshot>;
  changeQueue(name: string, change: QueueChange): Promise<QueueSnapshot>;
}

export interface QueueChange extends QueueLimits {
  readonly isPaused?: boolean;
  readonly pausedUntil?: Date;
  readonly pausedForMs?: number;
  readonly reason?: string | null;
}

export interface PauseOptions {
  /** Told to everyone who asks why. */
  readonly reason?: string | null;
  /**
   * When the pause ends by itself, by the database's clock and whoever is alive: a time, or how
   * long from now. Left out: it lasts until `resume`.
   */
  readonly until?: Date | Duration;
}

/** A queue: read its depth, pause, resume and limit it. */
export class QueueHandle {
  readonly name: string;
  readonly #access: QueueAccess;

  constructor(access: QueueAccess, name: string) {
    this.#access = access;
    this.name = name;
  }

  /** Once it resolves nobody is given a job of the queue. */
  async pause({ reason = null, until }: PauseOptions = {}): Promise<QueueSnapshot> {
    return this.#access.changeQueue(this.name, { isPaused: true, ...endOf(until), reason });
  }

  resume(): Promise<QueueSnapshot> {
    return this.#access.changeQueue(this.name, { isPaused: false, reason: null });
  }

  /** What is left out stays as it is; null takes a bound away. */
  limits(limits: QueueLimits): Promise<QueueSnapshot> {
    return this.#access.changeQueue(this.name, limits);
  }

  async counts(): Promise<QueueCounts> {
    return (await this.#access.readQueue(this.name)).counts;
  }

  snapshot(): Promise<QueueSnapshot> {
    return this.#access.readQueue(this.name);
  }
}

function endOf(until: Date | Duration | undefined): QueueChange {
  if (until === undefined) return {};
  if (!(until instanceof Date)) return { pausedForMs: durationMs(until, '/until') };
  if (!Number.isNaN(until.getTime())) return { pausedUntil: until };
  throw invalid([{ pointer: '/until', message: 'must be a valid Date, or a duration' }]);
}

/** The counts of a queue by the phases that have any. */
export function countsOf(
  phases: Readonly<Record<string, number>>,
  atLeast: readonly string[],
): QueueCounts {
  const { held = 0, ready = 0, leased = 0, executing = 0, waiting = 0 } = phases;
  return { held, ready, leased, executing, waiting, atLeast };
}
