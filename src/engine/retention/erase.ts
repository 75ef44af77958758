import { PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { afterWrite } from '../after-write.ts';
import type { EngineContext } from '../context.ts';
import { notFound } from '../transition.ts';

/**
 * Takes away what a job that has ended was given, said and made, in the database at once; its
 * history stays, with a `job_erased` at its end. The bytes of its artifacts, whose records go now,
 * are removed by the sweep of artifacts. Asking again does no harm.
 */
export async function erase(context: EngineContext, ref: JobRef, actor: string): Promise<Job> {
  const { store } = context;
  const named = { tenant: ref.tenant, id: ref.id };
  const outcome = await store.erase(named, actor);
  if (outcome === 'missing') throw notFound(named);
  if (outcome === 'notEnded') {
    throw new PawlError('NOT_FINISHED', `job ${ref.id} has not ended, so it cannot be erased`);
  }
  return afterWrite(true, async () => {
    const artifacts = await store.artifacts({ job: named });
    if (artifacts.length > 0) await store.removeArtifacts({ refs: artifacts });
    const [job] = await store.read([named]);
    if (!job) throw notFound(named);
    return job;
  });
}
