import type { LeasePolicy } from './lease.ts';
import type { DeadLetterCopies } from './lifecycle.ts';
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
  readonly retryable: readonly string[];
  readonly lease: LeasePolicy;
  readonly timeoutMs: number | null;
  readonly stages: readonly StageRange[];
  readonly onExhausted: 'failed' | 'dead_lettered';
  readonly dlq: DeadLetterCopies;
}

export function isRetryable(policy: Policy, errorClass: string): boolean {
  return policy.retryable.includes(errorClass);
}

/** Entering a stage lifts progress to at least the stage's minimum. */
export function progressFloor(policy: Policy, stage: string | null): number {
  return policy.stages.find((range) => range.name === stage)?.min ?? 0;
}
