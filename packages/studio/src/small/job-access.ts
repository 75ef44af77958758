import type { Job, JobRef } from 'pawl/define';

/** A job that another one asks for. */
export interface ChildRequest {
  readonly type: string;
  readonly input: unknown;
  readonly parentJobId: string;
  readonly correlationId: string;
  readonly idempotencyKey: string;
}

/** The platform as jobs see it that have to do with other jobs. */
export interface JobAccess {
  /** Throws the PawlError with which the platform refuses it. */
  enqueue(request: ChildRequest, by: { tenant: string; principal: string | null }): Promise<Job>;
  /** Null for those that are not there. */
  read(refs: readonly JobRef[]): Promise<readonly (Job | null)[]>;
  /** What a job returned, whole also where it is kept as an artifact. */
  resultOf(job: Job): Promise<unknown>;
}
