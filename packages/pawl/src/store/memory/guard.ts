import type { Job } from '../../core/job.ts';
import { type Lifecycle, placeName, samePlace } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { isOwned, isTerminal, rankOf } from '../../core/phase.ts';
import { StoreError } from '../store-error.ts';

/**
 * What the databases' triggers do: looks at a change of a row without knowing who made it or why,
 * and refuses it unless the lifecycle's table lists it.
 */
export function checkChange(lifecycle: Lifecycle, before: Job, after: Job): void {
  const fault = faultOf(lifecycle, before, after);
  if (fault === null) return;
  const name = `${lifecycle.name} v${lifecycle.version}`;
  const move = `${pairName(before)} → ${pairName(after)}`;
  throw new StoreError('refused', `${name}, job ${before.id}: ${move}: ${fault}`);
}

function faultOf(lifecycle: Lifecycle, before: Job, after: Job): string | null {
  if ((after.owner !== null) !== isOwned(after.phase)) return 'owner and phase do not agree';
  if ((after.leaseExpiry !== null) !== isOwned(after.phase)) return 'lease and phase do not agree';
  if (before.revision !== null && before.revision !== after.revision) {
    return 'a job keeps the revision that it has';
  }
  if (samePlace(before, after) && before.epoch === after.epoch) {
    return isStep(before.version, after.version) ? null : 'the version may rise by one only';
  }
  if (isTerminal(before.phase)) return 'nothing leaves a terminal phase';
  const rise = after.epoch - before.epoch;
  if (rise !== 0 && rise !== 1) return 'the epoch may stay or rise by one';
  if (rise === 0 && rankOf(after.phase) <= rankOf(before.phase)) return 'the pair must increase';
  const isListed = listedMoves(lifecycle).some(
    (move) =>
      samePlace(move.from, before) &&
      samePlace(move.to, after) &&
      move.opensEpoch === (rise === 1) &&
      after.version - before.version === (move.quiet ? 0 : 1),
  );
  return isListed ? null : 'the lifecycle lists no such move';
}

function isStep(before: number, after: number): boolean {
  return after === before || after === before + 1;
}

function pairName(job: Job): string {
  return `${placeName(job)} (epoch ${job.epoch}, version ${job.version})`;
}
