import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import type { LifecyclePlace } from '../overdue.ts';
import type { Session } from './session.ts';
import { jobsOf } from './sweep.ts';

export async function overdueJobs(
  session: Session,
  places: readonly LifecyclePlace[],
  limit: number,
): Promise<Job[]> {
  await session.names.learnLifecycles(places);
  const values = [
    places.map((place) => session.names.lifecycleId(place)),
    places.map(({ state }) => state),
    places.map(({ phase }) => rankOf(phase)),
    limit,
    session.now(),
  ];
  return jobsOf(session, 'SELECT * FROM pawl.overdue_v1($1, $2, $3, $4, $5)', values);
}
