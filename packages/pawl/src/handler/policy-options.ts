import { type Duration, DURATION_FAULT, parseDuration } from '../core/duration.ts';
import type { Fault } from '../core/errors.ts';
import type { DeadLetterCopies } from '../core/lifecycle.ts';
import type { LimitDefinition } from '../core/limits.ts';
import type { StageRange } from '../core/policy.ts';
import type { Jitter } from '../core/retry.ts';
import type { SloDefinition } from '../core/slo.ts';
import {
  checkMatchers,
  type ErrorConstructor,
  type MatcherOf,
  matcherNames,
} from './error-matcher.ts';
import type { JobPolicy } from './job-policy.ts';

/** The same delay before every retry, or one that grows from `base` by `factor` (default: 2). */
export type BackoffOption =
  | Duration
  | {
      readonly base: Duration;
      /** Default: 2. */
      readonly factor?: number;
      /** Default: a minute, or `base` where that is longer. */
      readonly max?: Duration;
      /** Default: 'full'. */
      readonly jitter?: Jitter;
    };

/** A rate limit by token bucket: `max` tokens, refilled within each `per`. */
export interface RateOption {
  readonly max: number;
  readonly per: Duration;
}

export interface LimitOptions extends Omit<LimitDefinition, 'rate'> {
  /** How many jobs may start per user or per organisation; default: no limit. */
  readonly rate?: { readonly perUser?: RateOption; readonly perOrganisation?: RateOption };
}

export interface SloOptions extends Omit<SloDefinition, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  /** Target for the median duration; default: none. */
  readonly p50?: Duration;
  /** Target for the 95th percentile of durations; default: none. */
  readonly p95?: Duration;
  /** Target for the 99th percentile of durations; default: none. */
  readonly p99?: Duration;
}

/** What a type's jobs live by, as its author writes it; the lifecycle says the rest. */
export interface PolicyOptions<
  Stages extends readonly StageRange[] = readonly StageRange[],
  Errors extends readonly ErrorConstructor[] = readonly [],
> {
  /** Maximum number of attempts, including the first; default: that of the lifecycle. */
  readonly maxAttempts?: number;
  /** The delay before a retry; default: that of the lifecycle. */
  readonly backoff?: BackoffOption;
  /** Time limit of one attempt; default: none. */
  readonly timeout?: Duration;
  /**
   * What happens to an attempt that reaches `timeout`. `fail` (default): it fails with the class
   * `timeout`. `resume`: if it has saved a new checkpoint, the job continues from there without
   * using an attempt; otherwise the attempt fails.
   */
  readonly onTimeout?: 'fail' | 'resume';
  /** How long a lease lasts, and how often heartbeats renew it; default: '1m' and '15s'. */
  readonly lease?: { readonly ttl?: Duration; readonly heartbeat?: Duration };
  /** Limits on running jobs and on their rate; default: none. */
  readonly limits?: LimitOptions;
  /** Service level objectives of the type; default: none. */
  readonly slo?: SloOptions;
  /** The names of the stages and their shares of the progress; default: any stage. */
  readonly stages?: Stages;
  /** How a job ends when no attempts are left; default: as the lifecycle says. */
  readonly onExhausted?: 'failed' | 'dead_lettered';
  /** Which failed jobs get a dead letter; default: as the lifecycle says. */
  readonly dlq?: DeadLetterCopies;
  /**
   * The jobs, or their types, that the handler starts with `call`, `callAll` and `spawn`: a remote
   * worker whose credential may not enqueue jobs may start these.
   */
  readonly calls?: readonly (string | { readonly type: string })[];
  /**
   * Patterns such as `page-*.png` of artifacts that can be read before the job has ended. Other
   * artifacts can be read once it has succeeded; after any other end none can.
   */
  readonly previews?: readonly string[];
  /**
   * The error classes of the handler. Other names in `retryable` and `fatal` then do not compile.
   */
  readonly errors?: Errors;
  /**
   * The only errors that are retried. Null (the default in most lifecycles): all errors except
   * `fatal` ones. An attempt whose worker, thread or process was lost is always retried.
   */
  readonly retryable?: readonly MatcherOf<NoInfer<Errors>>[] | null;
  /** Errors that are never retried. */
  readonly fatal?: readonly MatcherOf<NoInfer<Errors>>[];
}

type ReadDuration = (pointer: string, value: Duration) => number;

/** The wire form of what an author wrote, and everything that cannot be read of it. */
export function policyOf(options: PolicyOptions): { policy: JobPolicy; faults: readonly Fault[] } {
  const { lease, timeout, limits, slo } = options;
  const faults: Fault[] = [];
  const read: ReadDuration = (pointer, value) => {
    const ms = parseDuration(value);
    if (ms === null) faults.push({ pointer, message: DURATION_FAULT });
    return ms ?? 0;
  };
  const policy: JobPolicy = {
    ...retryOf(options, read),
    ...matchedOf(options, faults),
    ...(lease === undefined ? {} : { lease: leaseOf(lease, read) }),
    ...(timeout === undefined ? {} : { timeoutMs: read('/timeout', timeout) }),
    ...asGiven(options),
    ...(limits === undefined ? {} : { limits: limitsOf(limits, read) }),
    ...(slo === undefined ? {} : { slo: sloOf(slo, read) }),
  };
  return { policy, faults };
}

function asGiven(options: PolicyOptions): JobPolicy {
  const { onTimeout, stages, onExhausted, dlq, previews, calls } = options;
  return {
    ...(onTimeout === undefined ? {} : { onTimeout }),
    ...(stages === undefined ? {} : { stages }),
    ...(onExhausted === undefined ? {} : { onExhausted }),
    ...(dlq === undefined ? {} : { dlq }),
    ...(previews === undefined ? {} : { previews }),
    ...(calls === undefined
      ? {}
      : { calls: calls.map((one) => (typeof one === 'string' ? one : one.type)) }),
  };
}

function retryOf(
  { maxAttempts, backoff }: PolicyOptions,
  read: ReadDuration,
): Pick<JobPolicy, 'retry'> {
  if (maxAttempts === undefined && backoff === undefined) return {};
  return {
    retry: {
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...(backoff === undefined ? {} : { backoff: backoffOf(backoff, read) }),
    },
  };
}

/** The wire form of a backoff; what cannot be read of it is added to the faults. */
export function wireBackoff(given: BackoffOption, faults: Fault[]): WireBackoff {
  return backoffOf(given, (pointer, value) => {
    const ms = parseDuration(value);
    if (ms === null) faults.push({ pointer, message: DURATION_FAULT });
    return ms ?? 0;
  });
}

type WireBackoff = NonNullable<NonNullable<JobPolicy['retry']>['backoff']>;

function backoffOf(given: BackoffOption, read: ReadDuration): WireBackoff {
  if (typeof given !== 'object') return { kind: 'fixed', baseMs: read('/backoff', given) };
  const { base, factor, max, jitter } = given;
  return {
    kind: 'exponential',
    baseMs: read('/backoff/base', base),
    ...(factor === undefined ? {} : { factor }),
    ...(max === undefined ? {} : { maxMs: read('/backoff/max', max) }),
    ...(jitter === undefined ? {} : { jitter }),
  };
}

/**
 * Names alone are stored: classes and functions are known only where the handler runs. What is not
 * given comes from the lifecycle.
 */
function matchedOf(
  { retryable, fatal }: PolicyOptions,
  faults: Fault[],
): Pick<JobPolicy, 'retryable' | 'fatal'> {
  faults.push(...checkMatchers('/retryable', retryable ?? []));
  faults.push(...checkMatchers('/fatal', fatal ?? []));
  return {
    ...(retryable === undefined ? {} : { retryable: retryable && matcherNames(retryable) }),
    ...(fatal === undefined ? {} : { fatal: matcherNames(fatal) }),
  };
}

function leaseOf(
  { ttl, heartbeat }: NonNullable<PolicyOptions['lease']>,
  read: ReadDuration,
): NonNullable<JobPolicy['lease']> {
  return {
    ...(ttl === undefined ? {} : { ttlMs: read('/lease/ttl', ttl) }),
    ...(heartbeat === undefined ? {} : { heartbeatMs: read('/lease/heartbeat', heartbeat) }),
  };
}

function limitsOf({ rate, ...rest }: LimitOptions, read: ReadDuration): LimitDefinition {
  if (rate === undefined) return rest;
  const rateOf = (name: 'perUser' | 'perOrganisation') => {
    const one = rate[name];
    if (one === undefined) return {};
    return { [name]: { max: one.max, perMs: read(`/limits/rate/${name}/per`, one.per) } };
  };
  return { ...rest, rate: { ...rateOf('perUser'), ...rateOf('perOrganisation') } };
}

function sloOf({ p50, p95, p99, ...rest }: SloOptions, read: ReadDuration): SloDefinition {
  return {
    ...(p50 === undefined ? {} : { p50Ms: read('/slo/p50', p50) }),
    ...(p95 === undefined ? {} : { p95Ms: read('/slo/p95', p95) }),
    ...(p99 === undefined ? {} : { p99Ms: read('/slo/p99', p99) }),
    ...rest,
  };
}
