import type { DeadLetterDraft, Step } from '../core/decision.ts';
import { PawlError } from '../core/errors.ts';
import { fingerprintOf } from '../core/fingerprint.ts';
import type { Job } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { Fence, Move } from '../store/move.ts';
import type { Decisions } from './decisions.ts';
import type { Plan, Task } from './transition.ts';

export interface PlannedMove {
  readonly move: Draft;
  /** Set if the move ends the job badly. */
  readonly letter: DeadLetterDraft | null;
}

/** The move that a plan comes to, given how the job stands; a refusal where none is listed. */
export function draftMove(
  decisions: Decisions,
  planned: { task: Task; job: Job; plan: Plan; fence: Fence },
): { kind: 'refused'; error: PawlError } | PlannedMove {
  const { task, job, plan, fence } = planned;
  if (plan.kind === 'annotate') {
    return { move: annotationOf(planned, plan), letter: plan.deadLetter ?? null };
  }
  if (plan.kind !== 'request') throw new Error(`nothing to move for a plan to ${plan.kind}`);
  const { place, decision } = decisions.of(job, plan.request);
  if (!decision.isLegal) {
    return { kind: 'refused', error: new PawlError('ILLEGAL_TRANSITION', decision.reason) };
  }
  const move: Draft = {
    tenant: task.ref.tenant,
    id: task.ref.id,
    ...lifecycleOf(job),
    place,
    epoch: job.epoch,
    fence,
    actor: task.actor,
    // A success wins over a pending cancel, so it need not know of one.
    isCancelWished: plan.request.on === 'succeed' ? null : job.cancel !== null,
    steps: decision.steps,
    annotation: null,
  };
  if (task.key !== undefined) move.key = task.key;
  const cause = causeOf(job, decision.steps);
  if (cause !== null) move.fingerprint = cause;
  if (plan.result !== undefined) move.result = plan.result;
  if (plan.checkpoint !== undefined) move.checkpoint = plan.checkpoint;
  const last = decision.steps.at(-1)!;
  if (plan.beside !== undefined && !isTerminal(last.to.phase)) {
    Object.assign(move, plan.beside(last));
  }
  return { move, letter: decision.deadLetter };
}

/** A move on its way to be one; copies of it would be dear in a large batch. */
type Draft = { -readonly [Member in keyof Move]: Move[Member] };

function lifecycleOf({
  lifecycle,
  lifecycleVersion,
}: Job): Pick<Move, 'lifecycle' | 'lifecycleVersion'> {
  return { lifecycle, lifecycleVersion };
}

function annotationOf(
  { task, job, fence }: { task: Task; job: Job; fence: Fence },
  plan: Extract<Plan, { kind: 'annotate' }>,
): Move {
  return {
    tenant: task.ref.tenant,
    id: task.ref.id,
    ...lifecycleOf(job),
    place: { state: job.state, phase: job.phase },
    epoch: job.epoch,
    fence,
    actor: task.actor,
    isCancelWished: job.cancel !== null,
    steps: [],
    annotation: plan.annotation,
    ...(plan.with === undefined ? {} : { with: plan.with }),
  };
}

/** What a bad end is known by among others of its cause; null for every other move. */
function causeOf(job: Job, steps: readonly Step[]): string | null {
  const last = steps.at(-1);
  if (last === undefined || (last.to.phase !== 'failed' && last.to.phase !== 'dead')) return null;
  const error = last.error ?? job.error;
  return error === null ? null : fingerprintOf(job.type, error);
}
