import { systemClock } from '../core/clock.ts';
import { systemIds } from '../core/ids.ts';
import type { EnqueueJson } from '../http/schema/enqueue.ts';

const ids = systemIds(systemClock);

/**
 * How a wish for jobs is sent several times and has its effect once: by a key, made up where there
 * is none. A replayed key submits a job that it finds held, so jobs that are to stay held are
 * named by ids instead.
 */
export function repeatable(
  jobs: readonly EnqueueJson[],
  key: string | undefined,
): { readonly jobs: readonly EnqueueJson[]; readonly idempotencyKey?: string | null } {
  if (key !== undefined) return { jobs, idempotencyKey: key };
  if (jobs.every(({ submit = true }) => submit)) return { jobs };
  return { jobs: jobs.map((job) => ({ id: ids.next(), ...job })), idempotencyKey: null };
}
