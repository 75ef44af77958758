import { isValueName } from '../core/value-name.ts';
import type { Job } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import { isPreview } from '../core/preview.ts';
import type { EngineContext } from './context.ts';
import { type Ownership, ownershipRefusal } from './owner.ts';

/** What of a job's artifacts may be seen, by their names. */
export interface Sight {
  /** Of a job that succeeded: what is seen stays as it is. */
  readonly isFinal: boolean;
  sees(name: string): boolean;
}

/**
 * The outputs of a job are seen once it has succeeded. Before, only its own attempt sees them (and
 * those of the attempts before it), and everybody those that its type declares to be previews. Of
 * a job that ended otherwise nobody sees any, from that commit on.
 */
export async function sightOf(
  { registry }: EngineContext,
  job: Job,
  held: Ownership | null,
): Promise<Sight> {
  if (job.phase === 'succeeded') return { isFinal: true, sees: isOutput };
  if (isTerminal(job.phase)) return { isFinal: false, sees: () => false };
  const isOwn = held !== null && held.ref.id === job.id && ownershipRefusal(job, held) === null;
  if (isOwn) return { isFinal: false, sees: isOutput };
  const { previews = [] } = await registry.policy(job.policy);
  return { isFinal: false, sees: (name) => isOutput(name) && isPreview(previews, name) };
}

function isOutput(name: string): boolean {
  return !isValueName(name);
}
