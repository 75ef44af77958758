import { newId } from './new-id.ts';

/** A wish for a job, as far as it matters here. */
interface Wish {
  readonly id?: string;
  readonly submit?: boolean;
}

/**
 * How a wish for jobs is sent several times and has its effect once: by a key, made up where there
 * is none. A replayed key submits a job that it finds held, so jobs that are to stay held are
 * named by ids instead.
 */
export function repeatable<Job extends Wish>(
  jobs: readonly Job[],
  key: string | undefined,
): { readonly jobs: readonly Job[]; readonly idempotencyKey?: string | null } {
  if (key !== undefined) return { jobs, idempotencyKey: key };
  if (jobs.every(({ submit = true }) => submit)) return { jobs };
  return { jobs: jobs.map((job) => ({ id: newId(), ...job })), idempotencyKey: null };
}
