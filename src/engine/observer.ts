import type { Instant } from '../core/clock.ts';
import type { Step } from '../core/decision.ts';
import type { EventType } from '../core/event.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { ClaimedJob } from '../store/claim.ts';
import { jobAtBirth } from '../store/insert.ts';
import type { Fire, FireOutcome } from '../records/fires.ts';

/** A transition that is durable. */
export interface Moved {
  readonly before: Job;
  /** None where something was noted and the job stayed where it is. */
  readonly steps: readonly Step[];
  /** What was noted, where something was. */
  readonly event: EventType | null;
  readonly at: Instant;
}

/** A lease that was renewed. */
export interface Renewed {
  readonly ref: JobRef;
  readonly epoch: number;
  readonly at: Instant;
  /** The stage that the owner said it is in. */
  readonly stage: string | undefined;
  /** The row before, where it had to be read; an owner in this process knows it itself. */
  readonly before: Job | null;
}

/** A job's stage that is over, as its owner's reports tell it. */
export interface StageSeen {
  readonly type: string;
  readonly stage: string;
  readonly ms: number;
}

/**
 * Hears what the engine did, after it is durable and in no particular order: for metrics. It is
 * handed in like the clock, and without one nothing is told and nothing paid.
 */
export interface EngineObserver {
  enqueued(jobs: readonly Job[]): void;
  claimed(claims: readonly ClaimedJob[]): void;
  moved(moves: readonly Moved[]): void;
  renewed(renewals: readonly Renewed[]): void;
  /** Writes of owners whose job was not theirs, or not any more. */
  conflicted(count: number): void;
  staged(stage: StageSeen): void;
}

/** Tells of the jobs that a schedule made, which no enqueue has seen. */
export function tellFired(observer: EngineObserver | null, fire: Fire, outcome: FireOutcome): void {
  if (observer === null || outcome.kind === 'missed') return;
  const made = new Map(
    outcome.records.flatMap(({ result, jobId, at }) =>
      result === 'created' ? [[jobId, at] as const] : [],
    ),
  );
  const jobs = fire.entries.flatMap((entry) => {
    const at = entry.kind === 'job' ? made.get(entry.job.id) : undefined;
    return entry.kind === 'job' && at !== undefined ? [jobAtBirth(entry.job, at)] : [];
  });
  if (jobs.length > 0) observer.enqueued(jobs);
}
