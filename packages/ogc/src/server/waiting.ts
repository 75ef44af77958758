import type { Job, JobRef } from 'pawl/define';
import type { KnownJob, OgcDependencies } from './dependencies.ts';

/** The job once it is as wished, or as it stands when the time is over or the caller gone. */
export function waitUntil(
  { engine }: OgcDependencies,
  ref: JobRef,
  { ms, signal, isOver }: { ms: number; signal: AbortSignal; isOver: (job: Job) => boolean },
): Promise<Job> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  return engine.waitFor(ref, { signal: ends, isOver });
}

/** There is no news of a remote job before its provider is asked again, whatever that waits for. */
export async function untilNews(
  { engine }: OgcDependencies,
  { job, source }: Pick<KnownJob, 'job' | 'source'>,
): Promise<Record<string, string>> {
  if (job.phase !== 'waiting' || source.isTakenOn === undefined) return {};
  const seconds = Math.ceil((job.runAt - (await engine.now())) / 1_000);
  return { 'retry-after': String(Math.max(1, seconds)) };
}
