// What must hold between the moments before and after one action, said without the checker's help.
import type { Job } from 'pawl/internal/core/job';
import { isOwned, isTerminal, rankOf } from 'pawl/internal/core/phase';
import type { Action, Answer, Hands } from './actions.ts';

export interface Taken {
  readonly action: Action;
  readonly answer: Answer;
  readonly before: Job;
  readonly after: Job;
  readonly hands: Hands;
  /** When the action was taken; time may have passed by its own doing since. */
  readonly now: number;
}

export function brokenLaws(taken: Taken): readonly string[] {
  return [ownersOnly, refusalsChangeNothing, pairRises, endsAreFinal, cancelIsDone].flatMap((law) =>
    law(taken),
  );
}

/** An owner's write needs the epoch, the name and a deadline that lies ahead. */
function ownersOnly({ action, answer, before, hands, now }: Taken): readonly string[] {
  if (action.by === null || answer.kind !== 'accepted') return [];
  const isOwner = before.owner === action.by && before.epoch === hands[action.by]!.job.epoch;
  if (isOwner && isOwned(before.phase) && before.leaseExpiry! > now) return [];
  const state = `epoch ${before.epoch} of ${before.owner}, until ${before.leaseExpiry}, at ${now}`;
  return [`X1 a write was accepted of one who did not own the job: ${state}`];
}

function refusalsChangeNothing({ answer, before, after }: Taken): readonly string[] {
  if (answer.kind === 'accepted' || answer.kind === 'claimed') return [];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [`X2 an action that was ${answer.kind} changed the job`];
}

function pairRises({ before, after }: Taken): readonly string[] {
  const isLater =
    after.epoch > before.epoch ||
    (after.epoch === before.epoch && rankOf(after.phase) >= rankOf(before.phase));
  return isLater
    ? []
    : [`X3 from ${before.epoch}/${before.phase} to ${after.epoch}/${after.phase}`];
}

function endsAreFinal({ before, after }: Taken): readonly string[] {
  if (!isTerminal(before.phase) || JSON.stringify(before) === JSON.stringify(after)) return [];
  return [`X4 a job that had ended in ${before.state} was changed`];
}

/** Nobody executes it, so there is nobody to wait for. */
function cancelIsDone({ action, answer, before, after }: Taken): readonly string[] {
  if (!action.name.startsWith('cancel') || answer.kind !== 'accepted') return [];
  if (before.phase === 'executing' || isTerminal(after.phase)) return [];
  return [`X5 a cancel was accepted in ${before.phase} and left the job ${after.phase}`];
}
