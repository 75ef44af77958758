import type { Fault } from '../core/errors.ts';
import { checkRevision, type Revision, type Revisions } from '../core/revision.ts';
import type { JobDefinition } from './define-job.ts';

/** Which code a handler is. */
export interface RevisionOptions {
  /** Its name, such as `v3` or a commit. A job keeps the first one that took it. */
  readonly revision?: string;
  /**
   * Whether jobs that this handler has begun are gone on with by workers of the same revision
   * alone: in retries, in later turns, after a lost lease. Default: false.
   */
  readonly pin?: boolean;
}

/** What a definition has of it, and everything that cannot be read of it. */
export function revisionOf({ revision, pin = false }: RevisionOptions): {
  readonly given: { readonly revision?: Revision };
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  if (typeof pin !== 'boolean') faults.push({ pointer: '/pin', message: 'must be true or false' });
  if (revision === undefined) {
    const message = 'needs a `revision`: name the code that jobs are pinned to';
    return { given: {}, faults: pin ? [...faults, { pointer: '/pin', message }] : faults };
  }
  faults.push(...checkRevision('/revision', revision));
  return { given: { revision: { name: revision, pin } }, faults };
}

/** What a worker with these jobs offers; undefined where none of them has a revision. */
export function revisionsOf(jobs: readonly JobDefinition[]): Revisions | undefined {
  const offered = jobs.flatMap(({ type, revision }) => (revision ? [[type, revision]] : []));
  return offered.length === 0 ? undefined : (Object.fromEntries(offered) as Revisions);
}
