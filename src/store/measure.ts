import type { Instant } from '../core/clock.ts';

/**
 * How jobs end, as their users see it: `refused` is a failure of their own making (a bad input, a
 * spent quota), which no promise of the platform covers.
 */
export const OUTCOMES = ['succeeded', 'failed', 'refused', 'cancelled'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** How many jobs of a type ended so, after so long (by the number of its bin). */
export interface EndSum {
  readonly tenant: string;
  readonly type: string;
  readonly outcome: Outcome;
  /** Null where a job ended before anyone began it. */
  readonly bin: number | null;
  readonly count: number;
}

/** Ends are counted twice: by short stretches for the last hours, by long ones for days. */
export type Grain = 'short' | 'long';

/** The same for one stretch of time, by its start. */
export interface EndCount extends EndSum {
  readonly grain: Grain;
  readonly at: Instant;
}

/** What was counted of the log between two cursors of a named reader. */
export interface EndWrite {
  readonly reader: string;
  /** Where the reader stood; null where it has not begun. */
  readonly from: string | null;
  readonly to: string;
  readonly counts: readonly EndCount[];
  /** Counts of stretches before this go; null keeps them all. */
  readonly forgetBefore: Readonly<Record<Grain, Instant>> | null;
}

/** Stretches of one grain that began at `since` or later; of every tenant if it is null. */
export interface EndQuery {
  readonly tenant: string | null;
  readonly grain: Grain;
  readonly since: Instant;
}

/** What only the database can tell of itself. */
export interface Vitals {
  /** Dead letters that were not replayed, by type. */
  readonly deadLetters: readonly { readonly type: string; readonly count: number }[];
  /** For how long the oldest write has waited that readers of the log cannot see yet. */
  readonly tailLagMs: number;
  /** By name; which ones there are is the store's affair. */
  readonly gauges: Readonly<Record<string, number>>;
}

/**
 * Counts for those who watch the platform: apart, since no job depends on them. They are made from
 * the log, so that every process tells the same and a restart loses nothing.
 */
export interface MeasureStore {
  /** Adds and moves on, both or neither; false, and nothing done, where the reader is elsewhere. */
  addEnds(write: EndWrite): Promise<boolean>;
  endsReadTo(reader: string): Promise<string | null>;
  /** Summed over the stretches asked for. */
  ends(query: EndQuery): Promise<EndSum[]>;
  vitals(): Promise<Vitals>;
}
