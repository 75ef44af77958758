import type { Job } from '../../core/job.ts';
import { samePlace } from '../../core/lifecycle.ts';
import { isTerminal } from '../../core/phase.ts';
import type { LifecyclePlace } from '../overdue.ts';
import type { Tables } from './tables.ts';

export function overdueJobs(
  tables: Tables,
  places: readonly LifecyclePlace[],
  limit: number,
): Job[] {
  const now = tables.clock.now();
  return tables.jobs
    .values()
    .map(({ job }) => job)
    .filter((job) => !isTerminal(job.phase) && job.deadlineAt !== null && job.deadlineAt <= now)
    .filter((job) => places.some((place) => samePlace(place, job) && isOf(job, place)))
    .sort((one, other) => one.deadlineAt! - other.deadlineAt!)
    .slice(0, limit);
}

function isOf(job: Job, place: LifecyclePlace): boolean {
  return job.lifecycle === place.lifecycle && job.lifecycleVersion === place.lifecycleVersion;
}
