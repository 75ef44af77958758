import type { UniqueWish } from 'pawl/plugin';
import type { Payload } from './payload.ts';

/** Systems that jobs can be moved from. */
export const SYSTEMS = ['bullmq', 'pg-boss', 'graphile-worker'] as const;

export type SystemName = (typeof SYSTEMS)[number];

/** A waiting job of another system, in our words where they mean the same. */
export interface SourceJob extends Payload {
  /** What is mapped to a type: `mail/welcome` in BullMQ, a queue in pg-boss, else a task. */
  readonly kind: string;
  readonly queue: string;
  readonly id: string;
  readonly createdAt: number;
  readonly runAt: number;
  /** Larger goes first; of any size. */
  readonly priority: number;
  readonly attemptsMade: number;
  readonly attemptsMax: number;
  /** Their deduplication key, whatever it means there. */
  readonly key: string | null;
  readonly unique: UniqueWish | null;
  /** What has one job at a time there. */
  readonly documentId: string | null;
}

/** How many jobs of a kind there are. */
export interface KindCount {
  readonly kind: string;
  /** The type that it is unless the caller says otherwise. */
  readonly type: string;
  readonly waiting: number;
  readonly delayed: number;
  /** Held by an earlier move that did not come to its end. */
  readonly held: number;
  /** In the hands of a worker: left. */
  readonly active: number;
  /** Failed for good: left. */
  readonly failed: number;
  /** Left because it belongs to others: parts of flows, the next turn of a schedule. */
  readonly tied: number;
  /** The most attempts that one of those to be moved may have. */
  readonly attemptsMax: number;
}

/** A rule that makes jobs there. */
export interface SourceSchedule extends Payload {
  readonly kind: string;
  /** Which of theirs, to name it there and to call it here. */
  readonly queue: string;
  readonly key: string;
  /** As they write it. */
  readonly text: string;
  /** Null where we have no such rule. */
  readonly rule:
    | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string }
    | { readonly kind: 'interval'; readonly everyMs: number }
    | null;
}

/**
 * Another system that jobs are taken out of. A job goes `held → acknowledged here → dropped`: while
 * it is held no worker there begins it, and until it is dropped it is still there.
 */
export interface Source {
  readonly system: SystemName;
  /** As that system counts its own versions. */
  readonly version: string;
  survey(): Promise<KindCount[]>;
  schedules(): Promise<SourceSchedule[]>;
  /** Holds jobs of these kinds, batch by batch, those of an earlier move among them. */
  hold(kinds: ReadonlySet<string>, batch: number): AsyncGenerator<SourceJob[]>;
  /** Held jobs that are ours now are gone there. */
  drop(jobs: readonly SourceJob[]): Promise<void>;
  /** Held jobs that we did not take wait there again, as if nothing had been. */
  release(jobs: readonly SourceJob[]): Promise<void>;
  dropSchedule(schedule: SourceSchedule): Promise<void>;
  /** Lets the other system go on; answers with what is to be known about it. */
  letGo(): Promise<string[]>;
  close(): Promise<void>;
}

/** What each way to open a source takes. */
export interface SourceOptions {
  readonly url: string;
  /** Only these queues; all where empty. */
  readonly queues: readonly string[];
  /** The PostgreSQL schema, or the prefix of BullMQ's keys. */
  readonly place: string | undefined;
  /** Rules that are kept in a file. */
  readonly crontab?: readonly SourceSchedule[];
}
