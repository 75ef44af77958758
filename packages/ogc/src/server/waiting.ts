import type { Job, JobRef } from 'pawl/define';
import type { OgcDependencies } from './dependencies.ts';

/** The job once it is as wished, or as it stands when the time is over or the caller gone. */
export function waitUntil(
  { engine }: OgcDependencies,
  ref: JobRef,
  { ms, signal, isOver }: { ms: number; signal: AbortSignal; isOver: (job: Job) => boolean },
): Promise<Job> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  return engine.waitFor(ref, { signal: ends, isOver });
}
