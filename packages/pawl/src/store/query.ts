import type { JobEvent } from '../core/event.ts';
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
}

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
 * and nothing comes twice, however long other writers take to commit.
 */
export interface TailQuery {
  readonly tenant: string | null;
  readonly from: { readonly cursor: string } | 'start' | 'end';
  readonly limit: number;
}

/** An event or note with what a reader filters and traces by. */
export interface TailItem {
  readonly cursor: string;
  readonly event: JobEvent;
  readonly jobType: string;
  readonly correlationId: string | null;
  readonly traceId: string | null;
}

/**
 * `cursor` goes on from here, also when no item was found. Reset: the one given was of another log
 * (or no cursor at all); there are no items, and the new one is at the end.
 */
export interface TailPage {
  readonly items: readonly TailItem[];
  readonly cursor: string;
  readonly isReset: boolean;
}
