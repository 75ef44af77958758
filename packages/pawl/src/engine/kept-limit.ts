import { PawlError } from '../core/errors.ts';
import { KEPT_MAX } from '../core/flow.ts';
import type { JobRef } from '../core/job.ts';
import type { EngineContext } from './context.ts';

/**
 * Why a job cannot keep so many more results by name; null where it can. `stage` is one that is
 * kept in the place of an earlier one of its name.
 */
export async function keptRefusal(
  { store, records }: EngineContext,
  ref: JobRef,
  { added, stage = null }: { readonly added: number; readonly stage?: string | null },
): Promise<PawlError | null> {
  const waits = await records.flows.begun(ref);
  const stages = await store.countStages(ref, stage);
  const kept = waits + stages;
  if (kept + added <= KEPT_MAX) return null;
  const message =
    `job ${ref.id} has kept ${kept} results of stages, effects and waits, and ${KEPT_MAX} is the ` +
    'most: give parts of the work to jobs of their own, or keep one result for many steps';
  return new PawlError('LIMIT_EXCEEDED', message, { details: { limit: KEPT_MAX, kept } });
}
