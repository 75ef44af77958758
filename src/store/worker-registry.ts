import type { Instant } from '../core/clock.ts';

/** What a worker says of itself, over and over. */
export interface WorkerSign {
  /** Whose jobs it takes; null for everybody's. */
  readonly tenant: string | null;
  /** Its name as an owner of jobs. */
  readonly id: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly types: readonly string[];
  /** The most handlers at a time; null where it did not say. */
  readonly slots: number | null;
  /** `stopped` takes it off the list. */
  readonly state: 'working' | 'draining' | 'stopped';
  /** Said by the worker itself; false where it is gathered from what the worker did. */
  readonly isAnnounced: boolean;
}

/** A worker as it was last heard of, by the database's clock. */
export interface WorkerRecord extends Omit<WorkerSign, 'state'> {
  readonly state: 'working' | 'draining';
  readonly startedAt: Instant;
  readonly lastBeatAt: Instant;
  /** The jobs that it owns, as the rows of the jobs themselves tell it. */
  readonly jobIds: readonly string[];
}

/** So long after its last sign a worker is no longer listed, and soon forgotten. */
export const WORKER_GONE_MS = 300_000;

/** So many of its jobs are named. */
export const WORKER_JOBS_MAX = 1_000;

/**
 * The workers that are there. No job depends on it: a lease alone says who owns what, and a sign
 * that is lost costs nothing but a later time.
 */
export interface WorkerRegistry {
  /**
   * Remembers signs, one a worker. A first one says when the worker started; what is gathered
   * changes nothing but the time of one that has announced itself.
   */
  beatWorkers(signs: readonly WorkerSign[]): Promise<void>;
  /**
   * By id. Of a tenant: those that take its jobs, and of these jobs only; null: all of both.
   */
  workers(tenant: string | null): Promise<WorkerRecord[]>;
}
