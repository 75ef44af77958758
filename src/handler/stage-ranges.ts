// The stages that a type declares, and the share of the whole that each of them is.
import type { StageRange } from '../core/policy.ts';
import type { Done } from './context.ts';
import { isStageName } from './define-job.ts';
import { fail } from './failure.ts';

const WHOLE = { min: 0, max: 100 };

export function rangeOf(
  stages: readonly StageRange[],
  name: string | null,
): StageRange | undefined {
  return name === null ? undefined : stages.find((range) => range.name === name);
}

/** How far a job is when so much of a stage is done; outside of stages, of the job. */
export function percentOf(range: StageRange | undefined, done: Done): number {
  if (typeof done === 'object') return done.percent;
  const { min, max } = range ?? WHOLE;
  return min + Math.min(1, Math.max(0, done)) * (max - min);
}

/** Throws for a stage that its type does not declare, where it declares any. */
export function checkStage(stages: readonly StageRange[], name: string): void {
  const isKnown = stages.length === 0 || rangeOf(stages, name) !== undefined;
  if (isStageName(name) && isKnown) return;
  const known = stages.map((range) => range.name).join(', ') || 'any name without a colon';
  throw fail('configuration_error', `there is no stage "${name}"; there is ${known}`);
}
