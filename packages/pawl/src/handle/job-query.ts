import type { Phase } from '../core/phase.ts';
import type { JobType } from '../handler/job-type.ts';
import type { Paging } from './job-snapshot.ts';

/** Filters of a list of jobs, newest first. */
export interface JobQuery extends Paging {
  /** A definition, which types what is found, or a name. */
  readonly type?: JobType | string;
  readonly state?: string;
  readonly phase?: Phase;
  readonly queue?: string;
  readonly documentId?: string;
  readonly correlationId?: string;
  readonly parentJobId?: string;
  /** Created then or later. */
  readonly createdFrom?: Date;
  /** Created before then. */
  readonly createdTo?: Date;
  /** A part of what the job says of itself; inputs and results are not looked at. */
  readonly text?: string;
  /** The code or class of its error, or a part of its message. */
  readonly error?: string;
  /** Of its failure: the same fault in other jobs. */
  readonly fingerprint?: string;
}

/** The same with the type's name. */
export type NamedQuery = Omit<JobQuery, 'type'> & { readonly type?: string };

export function namedQuery({ type, ...rest }: JobQuery): NamedQuery {
  if (type === undefined) return rest;
  return { ...rest, type: typeof type === 'string' ? type : type.type };
}
