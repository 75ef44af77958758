import type { ChildCounts, ChildResult } from '../core/flow.ts';
import type { JobError } from '../core/job.ts';
import { isJobFailure, PermanentError } from './failure.ts';

/** A child job that did not succeed. */
export interface FailedChild {
  readonly key: string;
  readonly id: string;
  readonly error: JobError | null;
}

const NAMED_MAX = 10;

/**
 * One or more children of a wait did not succeed. Another attempt of the parent would find the same
 * results, so the parent is not retried unless its type says so.
 */
export class ChildrenFailed extends PermanentError {
  override readonly class: string = 'ChildrenFailed';
  readonly wait: string;
  readonly counts: ChildCounts;
  /** The first of them, in the order of the items. */
  readonly failures: readonly FailedChild[];

  constructor(wait: string, counts: ChildCounts, results: readonly ChildResult[]) {
    const failures = results
      .filter(({ ok }) => !ok)
      .slice(0, NAMED_MAX)
      .map(({ key, id, error }) => ({ key, id, error }));
    super(messageOf(wait, counts, failures), {
      details: {
        wait,
        counts,
        failures: failures.map(({ key, id, error }) => ({
          key,
          id,
          class: error?.class ?? null,
          message: error?.message ?? null,
        })),
      },
    });
    this.name = this.class;
    this.wait = wait;
    this.counts = counts;
    this.failures = failures;
  }
}

/** Whether an error is a ChildrenFailed, also of another copy of the package. */
export function isChildrenFailed(error: unknown): error is ChildrenFailed {
  return isJobFailure(error) && error.class === 'ChildrenFailed';
}

function messageOf(
  wait: string,
  { total, failed }: ChildCounts,
  failures: readonly FailedChild[],
): string {
  const [first] = failures;
  const cause = first?.error ?? null;
  const why = cause === null ? '' : `: ${cause.class}: ${cause.message}`;
  if (total === 1) return `the job of "${wait}" did not succeed${why}`;
  const named = first === undefined ? '' : `; the first, "${first.key}"${why}`;
  return `${failed} of ${total} jobs of "${wait}" did not succeed${named}`;
}
