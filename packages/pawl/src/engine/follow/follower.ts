import type { Backoff } from '../../core/retry.ts';
import type { Timers } from '../../core/timers.ts';
import type { LostTail, TailFilter, TailItem, TailQuery } from '../../store/query.ts';

/** Where a follower begins, or begins again: with all that the log has, or with what comes. */
export type FollowFrom = 'start' | 'now';

/** A follower's place is of another log (a restore) or was trimmed away: what it does about it. */
export interface FollowerReset {
  readonly name: string;
  /** The cursor that is no longer of use. */
  readonly lost: string;
  /** `kept`: right behind what a failover has left of the log, so that nothing is skipped. */
  readonly to: FollowFrom | 'kept';
  /** The numbers of entries that it was given and that are not there any more. */
  readonly tail?: LostTail;
}

/** What a handler may know and say about the batch in its hands. */
export interface Batch {
  /**
   * Whether this process has handled everything up to this batch since it began to: false for its
   * first, and where another process had the name in between.
   */
  readonly isContinued: boolean;
  /** Aborted when the follower stops, or when it may be another process's by now. */
  readonly signal: AbortSignal;
  /** Says that everything up to this item is done, so that a failure does not bring it again. */
  reached(item: TailItem): void;
}

/**
 * How the log is followed under a name, by any number of processes of which one at a time does it.
 *
 * Items come at least once, none is skipped, and those of one job come in the order of their
 * versions. After `handle` has resolved the place is stored, so a crash in between brings the batch
 * again. While it throws, the follower stays where it is and tries again with growing pauses; no
 * other follower and no job waits for it.
 */
export interface FollowOptions {
  readonly name: string;
  /** Of a name that is new (`start` unless told otherwise); a known one goes on where it stood. */
  readonly from?: FollowFrom;
  /** Where to go on after its place was lost; `start` unless told otherwise. */
  readonly afterReset?: FollowFrom;
  /** Whose events; left out or null: everyone's. */
  readonly tenant?: string | null;
  /** Whether heartbeats, progress and log lines come too. */
  readonly notes?: boolean;
  /** Which events come; left out: all. */
  readonly only?: TailFilter;
  /** Whether events that are read by `only` have labels: not unless told otherwise. */
  readonly labels?: TailQuery['labels'];
  /** The most items of one batch; 100 unless told otherwise. */
  readonly batchMax?: number;
  /** How often an idle follower looks. */
  readonly everyMs?: number;
  /**
   * Whether it rests for `everyMs` after a batch that reached the end of the log, unless it is
   * woken: for who has nothing to do with most entries. Otherwise it reads on at once, and where
   * jobs end one after the other that is a read and a write for each of them.
   */
  readonly gathers?: boolean;
  /**
   * Asked after the end of the log was read: whether nothing before that end concerns it. Then it
   * goes on there, without reading what lies in between, and rests for `everyMs`.
   */
  readonly isQuiet?: () => Promise<boolean>;
  /** How long a follower whose process has died stays its own. */
  readonly leaseMs?: number;
  readonly backoff?: Backoff;
  readonly timers?: Timers;
  handle(items: readonly TailItem[], batch: Batch): Promise<void> | void;
  /** Told before it goes on, and again if that could not be stored. */
  onReset?(reset: FollowerReset): Promise<void> | void;
}
