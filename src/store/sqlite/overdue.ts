import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import type { LifecyclePlace } from '../overdue.ts';
import { JOB_COLUMNS, type JobRow, jobOfRow } from './row.ts';
import type { Work } from './work.ts';

const OVERDUE = `SELECT ${JOB_COLUMNS} FROM jobs INDEXED BY jobs_deadline
  WHERE lifecycle = ? AND state = ? AND phase = ? AND phase < 5
    AND deadline_at IS NOT NULL AND deadline_at <= ? ORDER BY deadline_at LIMIT ?`;

/** One look-up for each place, so that jobs in others, however many, cost nothing. */
export function overdueJobs(
  { connection, registry, now }: Work,
  places: readonly LifecyclePlace[],
  limit: number,
): Job[] {
  const rows = places.flatMap((place) => {
    const lifecycle = registry.lifecycleId(place.lifecycle, place.lifecycleVersion);
    const rank = rankOf(place.phase);
    return connection.sql(OVERDUE).all(lifecycle, place.state, rank, now, limit) as JobRow[];
  });
  return rows
    .sort((one, other) => one.deadline_at! - other.deadline_at!)
    .slice(0, limit)
    .map((row) => jobOfRow(registry, row));
}
