import type { EngineLog } from 'pawl/plugin';
import { isTerminal, type StatusInfo } from '../model/status-info.ts';

/** A job as observers see it, with what they may do about it. */
export interface ObservedJob {
  readonly tenant: string;
  readonly id: string;
  readonly processId: string;
  /** Where its provider tells of it; null before it does. */
  readonly remoteStatusUrl: string | null;
  readonly pollIntervalMs: number;
  /** Adds to the job's history. */
  appendStatus(status: StatusInfo): void;
  /** Has the provider asked again after this time. */
  schedulePoll(delayMs: number): void;
  /** Fetches the results and keeps them. Throws where they cannot be had. */
  verifyResults(): Promise<void>;
}

/**
 * Hears what becomes of executions. Each is told in turn, in the order of the list. After a crash
 * the same may be told again.
 */
export interface JobObserver {
  readonly name: string;
  onJobCreated?(job: ObservedJob, status: StatusInfo): void | Promise<void>;
  onStatusChanged?(
    job: ObservedJob,
    previous: StatusInfo,
    status: StatusInfo,
  ): void | Promise<void>;
  onJobCompleted?(job: ObservedJob, status: StatusInfo): void | Promise<void>;
}

/** Writes every status into the job's history, once. */
export const statusHistory: JobObserver = {
  name: 'status-history',
  onJobCreated: (job, status) => job.appendStatus(status),
  onStatusChanged: (job, _previous, status) => job.appendStatus(status),
};

/** Has a job polled for as long as there is something to ask and an answer to come. */
export const pollingScheduler: JobObserver = {
  name: 'polling-scheduler',
  onStatusChanged: (job, _previous, status) => {
    if (job.remoteStatusUrl === null || isTerminal(status.status)) return;
    job.schedulePoll(job.pollIntervalMs);
  },
};

/** Sees to it that the results of what succeeded can be had. */
export const resultsVerification: JobObserver = {
  name: 'results-verification',
  onJobCompleted: async (job, status) => {
    if (status.status === 'successful') await job.verifyResults();
  },
};

/** Those of the document, in its sequence. */
export const OBSERVERS: readonly JobObserver[] = [
  statusHistory,
  pollingScheduler,
  resultsVerification,
];

type Happening = 'onJobCreated' | 'onStatusChanged' | 'onJobCompleted';

/** Tells all observers; one that throws is written to the log and stops nobody. */
export async function notify<Name extends Happening>(
  told: { observers: readonly JobObserver[]; log: EngineLog },
  happening: Name,
  ...facts: Parameters<NonNullable<JobObserver[Name]>>
): Promise<void> {
  for (const observer of told.observers) {
    const tell = observer[happening] as ((...all: unknown[]) => unknown) | undefined;
    try {
      await tell?.apply(observer, facts);
    } catch (error) {
      const job: ObservedJob = facts[0];
      told.log.warn('an observer of executions failed; the job continues', {
        observer: observer.name,
        happening,
        jobId: job.id,
        error: (error as Error).message,
      });
    }
  }
}
