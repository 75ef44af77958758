import type { LeasePolicy } from '../core/lease.ts';
import type { DeadLetterCopies } from '../core/lifecycle.ts';
import type { LimitDefinition } from '../core/limits.ts';
import type { StageRange } from '../core/policy.ts';
import type { Jitter } from '../core/retry.ts';
import type { SloDefinition } from '../core/slo.ts';
import type { Exposure, JsonSchema } from './exposure.ts';

/**
 * What a type's jobs live by, as it is stored and as `PUT /v1/types/{type}` takes it; what is left
 * out comes from the lifecycle.
 */
export interface JobPolicy {
  readonly retry?: {
    readonly maxAttempts?: number;
    readonly backoff?: {
      readonly kind: 'fixed' | 'exponential';
      readonly baseMs: number;
      /** Of an exponential one. */
      readonly factor?: number;
      readonly maxMs?: number;
      /** Full unless told otherwise, and none for a fixed one. */
      readonly jitter?: Jitter;
    };
  };
  /**
   * Error classes that are retried, and no others; null, or left out in most lifecycles: everything
   * but what is fatal. An attempt whose worker, thread or process was lost is always retried.
   */
  readonly retryable?: readonly string[] | null;
  /** Error classes that are never retried. */
  readonly fatal?: readonly string[];
  /** The lists alone decide, whatever a worker says of an error. */
  readonly isRetryFixed?: boolean;
  readonly lease?: Partial<LeasePolicy>;
  /** The longest that one attempt may take. */
  readonly timeoutMs?: number;
  /**
   * What happens to an attempt that reaches `timeoutMs`. `fail` (default): it has failed with the
   * class `timeout`. `resume`: one that has kept a newer checkpoint than it began with goes on from
   * there, without spending an attempt; one that has not fails.
   */
  readonly onTimeout?: 'fail' | 'resume';
  readonly stages?: readonly StageRange[];
  readonly onExhausted?: 'failed' | 'dead_lettered';
  readonly dlq?: DeadLetterCopies;
  readonly limits?: LimitDefinition;
  /** Artifacts that are seen before their job has ended, by patterns such as `page-*.png`. */
  readonly previews?: readonly string[];
  /** The type whose jobs undo one of these that ended badly: it is registered before. */
  readonly compensation?: string;
  /** Types that its handler starts jobs of, also for a worker that may not enqueue by itself. */
  readonly calls?: readonly string[];
  /** What is promised of its jobs; it is measured and shown, and changes nothing. */
  readonly slo?: SloDefinition;
  /** Published as a process of OGC API – Processes, in these words and by these schemas. */
  readonly expose?: Exposure;
  /** What its jobs take, as JSON Schema. False: no input, and one that is sent is refused. */
  readonly inputSchema?: JsonSchema | boolean;
}
