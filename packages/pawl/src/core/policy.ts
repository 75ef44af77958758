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
  /** An attempt that reaches its time-out and has got on goes on; left out: it fails. */
  readonly onTimeout?: 'resume';
  readonly stages: readonly StageRange[];
  readonly onExhausted: 'failed' | 'dead_lettered';
  readonly dlq: DeadLetterCopies;
  /** Left out where the type has none. */
  readonly limits?: LimitPolicy;
  /** Names of artifacts that are seen before a job has ended; left out where there are none. */
  readonly previews?: readonly string[];
  /** The type whose jobs undo one of these that ended badly; left out where nothing is undone. */
  readonly compensation?: string;
}

/** Entering a stage lifts progress to its minimum; what is told within it stays in its range. */
export function progressWithin(range: StageRange | null, progress: number): number {
  const { min, max } = range ?? { min: 0, max: 100 };
  return Math.max(min, Math.min(max, Math.trunc(progress)));
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
      faults.push({ pointer: `/stages/${index}/name`, message: `"${stage.name}" appears twice` });
    }
  });
  return faults;
}
