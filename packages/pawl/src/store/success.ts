import type { Move } from './move.ts';

/**
 * What most moves are, as the core decides them: one step of the owner that ends the job well and
 * leaves its counters as they are. A store may have a shorter way for it.
 */
export function isPlainSuccess(move: Move): boolean {
  const [step, ...more] = move.steps;
  return (
    step !== undefined &&
    more.length === 0 &&
    move.annotation === null &&
    move.with === undefined &&
    move.fence.kind === 'owner' &&
    move.place.phase === 'executing' &&
    move.checkpoint === undefined &&
    step.event === 'job_succeeded' &&
    step.to.phase === 'succeeded' &&
    step.epoch === move.epoch &&
    step.error === null &&
    step.cause === null &&
    step.delayMs === 0 &&
    !step.quiet
  );
}
