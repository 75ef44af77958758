import type { Fault } from './errors.ts';
import type { LeasePolicy } from './lease.ts';
import type { DeadLetterCopies } from './lifecycle.ts';
import type { LimitPolicy } from './limits.ts';
import type { RetryPolicy } from './retry.ts';

/** A named part of an attempt and the share of the job's progress that it covers. */
export interface StageRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

/** What a type's jobs live by. Frozen at enqueue: a later change of the type leaves them alone. */
export interface Policy {
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
  readonly retry: RetryPolicy;
  /** Error classes that are retried; null: all but what is fatal or final. */
  readonly retryable: readonly string[] | null;
  /** Error classes that are never retried. */
  readonly fatal: readonly string[];
  /** The lists alone decide, whatever a worker says of an error. */
  readonly isRetryFixed?: true;
  readonly lease: LeasePolicy;
  readonly timeoutMs: number | null;
  readonly stages: readonly StageRange[];
  readonly onExhausted: 'failed' | 'dead_lettered';
  readonly dlq: DeadLetterCopies;
  /** Left out where the type has none. */
  readonly limits?: LimitPolicy;
}

/** Entering a stage lifts progress to at least the stage's minimum. */
export function progressFloor(policy: Policy, stage: string | null): number {
  return policy.stages.find((range) => range.name === stage)?.min ?? 0;
}

/** Stages come in order, do not overlap and have names of their own. */
export function checkStages(stages: readonly StageRange[]): Fault[] {
  const faults: Fault[] = [];
  stages.forEach((stage, index) => {
    const before = stages[index - 1];
    if (!(stage.min >= 0 && stage.min < stage.max && stage.max <= 100)) {
      faults.push({ pointer: `/stages/${index}`, message: 'needs 0 ≤ min < max ≤ 100' });
    }
    if (before !== undefined && stage.min < before.max) {
      const message = `overlaps "${before.name}", which ends at ${before.max}`;
      faults.push({ pointer: `/stages/${index}/min`, message });
    }
    if (stages.findIndex((one) => one.name === stage.name) !== index) {
      faults.push({ pointer: `/stages/${index}/name`, message: `"${stage.name}" is there twice` });
    }
  });
  return faults;
}
