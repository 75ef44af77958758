import { isOwned } from '../core/phase.ts';
import type { Move } from './move.ts';

/**
 * True of a move that takes a job out of its line before it was started. What the job had been let
 * through on is free again, so who waits for a token of its user or tenant is looked at.
 */
export function leavesItsLine({ place, steps }: Move): boolean {
  const last = steps.at(-1)?.to.phase;
  if (place.phase !== 'ready' || last === undefined) return false;
  return last !== 'ready' && !isOwned(last);
}
