import type { Instant } from '../core/clock.ts';
import type { EventType, JobEvent } from '../core/event.ts';
import type { AwaitedBy } from '../core/job-labels.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { Phase } from '../core/phase.ts';
import type { JobSearch } from './search.ts';

/** Jobs of one tenant by descending id, which for UUIDv7 is newest first. */
export interface JobQuery extends JobSearch {
  readonly tenant: string;
  readonly limit: number;
  /** Only ids below this one: the last id of the page before. */
  readonly before?: string;
  readonly type?: string;
  readonly state?: string;
  readonly phase?: Phase;
  readonly queue?: string;
  readonly documentId?: string;
  readonly correlationId?: string;
  readonly parentJobId?: string;
  /** Jobs that stand for an idempotency key or a unique key, as long as the key has a say. */
  readonly key?: string;
}

/** A page of jobs, and the cursor of the next. */
export interface JobPage {
  readonly jobs: readonly Job[];
  readonly hasMore: boolean;
  /** Where a search ended its window with fewer than were asked for: it goes on before this id. */
  readonly searchedTo?: string;
}

/** A job's events and notes, one stream in the order (version, note). */
export interface EventQuery extends JobRef {
  readonly after: { readonly version: number; readonly note: number } | null;
  readonly limit: number;
  readonly notes: boolean;
}

export interface EventPage {
  readonly events: readonly JobEvent[];
  readonly hasMore: boolean;
}

/**
 * The firehose. `from`: a cursor, or the end or the start of what is kept. Nothing is skipped
 * and nothing comes twice, however long other writers take to commit. From a time on: nothing that
 * happened then or later is missed, and some of what happened before comes too.
 */
export interface TailQuery {
  readonly tenant: string | null;
  readonly from: { readonly cursor: string } | { readonly at: Instant } | 'start' | 'end';
  readonly limit: number;
  /** Left out: everything, notes included. */
  readonly only?: TailFilter;
  /**
   * False: labels are not looked up, and are null. `flows`: only those of jobs that have a part in
   * a flow, as far as their ids tell.
   */
  readonly labels?: boolean | 'flows';
}

interface TailChoice {
  readonly events?: readonly EventType[];
  readonly phases?: readonly Phase[];
}

/**
 * Events of these types or into these phases, and never notes; `gated` adds to them for jobs that
 * may have been born behind a gate. Stores pass over the rest where it lies, so that a reader who
 * wants little of a busy log pays little for it.
 */
export interface TailFilter extends TailChoice {
  readonly gated?: TailChoice;
}

/** An event or note with what a reader filters and traces by. */
export interface TailItem {
  readonly cursor: string;
  readonly event: JobEvent;
  readonly jobType: string;
  readonly correlationId: string | null;
  readonly traceId: string | null;
  /** The job's place in a tree, so that a reader knows whom an end concerns. */
  readonly awaitedBy: AwaitedBy | null;
}

/**
 * `cursor` goes on from here, also when no item was found. Reset: the one given was of another log
 * (or no cursor at all); there are no items, and the new one is at the end.
 */
export interface TailPage {
  readonly items: readonly TailItem[];
  readonly cursor: string;
  readonly isReset: boolean;
  readonly lost?: LostTail;
}

/**
 * A standby that took over did not have all of the log: the reader was told of entries with numbers
 * from `from` to `to` that are not there any more. The cursor goes on right behind what is there.
 */
export interface LostTail {
  readonly from: number;
  readonly to: number;
}

/** Reads the log by its entries: what one call did to jobs of one lane, without the jobs. */
export interface EntryQuery {
  readonly from: TailQuery['from'];
  /** The most entries of one page. */
  readonly limit: number;
}

/** So many jobs of an entry are looked at for their times: an even sample of a larger one. */
export const ENTRY_SAMPLE_MAX = 4;

/** What happened to how many jobs at once. A job that is created and queued at once counts once. */
export interface LogEntry {
  readonly at: Instant;
  readonly tenant: string;
  readonly type: string;
  readonly queue: string;
  readonly event: EventType;
  readonly phase: Phase;
  readonly count: number;
  /**
   * Of up to ENTRY_SAMPLE_MAX of its jobs: where they began to execute, the milliseconds since they
   * were due; where they ended, those since they were first begun. Null where that is not known.
   * Empty for all other entries.
   */
  readonly times: readonly (number | null)[];
}

/** As with the tail: `cursor` goes on from here, and a reset begins at the end. */
export interface EntryPage {
  readonly entries: readonly LogEntry[];
  readonly cursor: string;
  readonly hasMore: boolean;
  readonly isReset: boolean;
  readonly lost?: LostTail;
}

/** Whether the times of an entry's jobs say something: they begin, or they end. */
export function timesOf(event: EventType, phase: Phase): 'wait' | 'duration' | null {
  if (phase === 'executing') {
    return event === 'job_claimed' || event === 'job_started' ? 'wait' : null;
  }
  return END_EVENTS.has(event) ? 'duration' : null;
}

const END_EVENTS: ReadonlySet<EventType> = new Set([
  'job_succeeded',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
] as const);

/** What a job's times say at an entry; null where it was due or begun again since. */
export function timeAt(
  measure: 'wait' | 'duration',
  at: Instant,
  job: { readonly runAt: Instant | null; readonly startedAt: Instant | null },
): number | null {
  const from = measure === 'wait' ? job.runAt : job.startedAt;
  return from === null || from > at ? null : at - from;
}

/** An even sample of a list. */
export function sampleOf<Item>(items: readonly Item[], max: number = ENTRY_SAMPLE_MAX): Item[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, at) => items[Math.floor((at * items.length) / max)]!);
}
