import type { Job } from '../core/job.ts';
import type { FireRecord } from '../records/fires.ts';
import type { Engine } from './engine.ts';

/** How the job of a slot stands or ended. */
export interface FireEnd extends Pick<Job, 'state' | 'phase' | 'completedAt'> {
  readonly error: string | null;
}

/** One for each; null where there is no job, or it is no longer kept. */
export async function fireEnds(
  engine: Pick<Engine, 'find'>,
  tenant: string,
  fires: readonly FireRecord[],
): Promise<(FireEnd | null)[]> {
  const ids = fires.flatMap(({ jobId }) => (jobId === null ? [] : [jobId]));
  const found = ids.length === 0 ? [] : await engine.find(ids.map((id) => ({ tenant, id })));
  const jobs = new Map(found.flatMap((job) => (job === null ? [] : [[job.id, job]])));
  return fires.map(({ jobId }) => {
    const job = jobId === null ? undefined : jobs.get(jobId);
    if (job === undefined) return null;
    const { state, phase, completedAt, error } = job;
    return { state, phase, completedAt, error: error?.message ?? null };
  });
}
