import { CALL_SECONDS, JOB_SECONDS, type MetricDefinition } from './definition.ts';
import { STORE_METRICS } from './store-metrics.ts';

/** So many jobs of one type that wait in one queue are counted for a gauge. */
export const GAUGE_MAX = 100_000;
const MAX_TEXT = GAUGE_MAX.toLocaleString('en');
const BOUND = `counted up to ${MAX_TEXT} per type and queue`;
const FIRST = `found among the next ${MAX_TEXT} of each type`;

/** The nine of the document on typed jobs (T), with its names, types, labels and words. */
const TASK_METRICS = {
  job_enqueue_total: {
    name: 'job_enqueue_total',
    type: 'counter',
    help: 'Jobs accepted',
    labels: ['job_type'],
  },
  job_start_total: {
    name: 'job_start_total',
    type: 'counter',
    help: 'Jobs that started (counted once per job, not per attempt)',
    labels: ['job_type'],
  },
  job_duration_seconds: {
    name: 'job_duration_seconds',
    type: 'histogram',
    help: 'Time from the first start of a job to its end, in seconds',
    labels: ['job_type', 'outcome'],
    buckets: JOB_SECONDS,
  },
  job_attempts: {
    name: 'job_attempts',
    type: 'histogram',
    help: 'Attempts of a job, counted when it ended',
    labels: ['job_type'],
    buckets: [0, 1, 2, 3, 4, 5, 8, 13, 21],
  },
  job_in_progress: {
    name: 'job_in_progress',
    type: 'gauge',
    help: 'Jobs that are running',
    labels: ['job_type'],
    isShared: true,
  },
  job_retry_total: {
    name: 'job_retry_total',
    type: 'counter',
    help: 'Retries, by the error class that caused them',
    labels: ['job_type', 'error_class'],
  },
  job_failure_total: {
    name: 'job_failure_total',
    type: 'counter',
    help: 'Jobs that ended as failed or dead, by error class',
    labels: ['job_type', 'error_class'],
  },
  job_canceled_total: {
    name: 'job_canceled_total',
    type: 'counter',
    help: 'Jobs that were cancelled',
    labels: ['job_type'],
  },
  job_stage_time_seconds: {
    name: 'job_stage_time_seconds',
    type: 'histogram',
    help: 'Duration of a stage, in seconds',
    labels: ['job_type', 'stage'],
    buckets: JOB_SECONDS,
  },
} as const satisfies Record<string, MetricDefinition>;

/** Those of the document on distributed reliability (R). */
const LEASE_METRICS = {
  claims_total: {
    name: 'claims_total',
    type: 'counter',
    help: 'Jobs claimed by workers',
    labels: ['job_type'],
  },
  claim_conflicts_total: {
    name: 'claim_conflicts_total',
    type: 'counter',
    help: 'Writes refused because the worker did not own the job, or no longer did',
    labels: [],
  },
  lease_renewals_total: {
    name: 'lease_renewals_total',
    type: 'counter',
    help: 'Leases renewed',
    labels: [],
  },
  lease_expiries_total: {
    name: 'lease_expiries_total',
    type: 'counter',
    help: 'Leases that expired',
    labels: ['job_type'],
  },
  retries_total: {
    name: 'retries_total',
    type: 'counter',
    help: 'Attempts that failed or were lost and are retried',
    labels: ['job_type'],
  },
  failures_total: {
    name: 'failures_total',
    type: 'counter',
    help: 'Jobs that ended failed or dead',
    labels: ['job_type'],
  },
  dlq_count: {
    name: 'dlq_count',
    type: 'gauge',
    help: 'Dead letters that were not replayed',
    labels: ['job_type'],
    isShared: true,
  },
} as const satisfies Record<string, MetricDefinition>;

const PLATFORM_METRICS = {
  handler_errors_unattributed_total: {
    name: 'handler_errors_unattributed_total',
    type: 'counter',
    help: 'Uncaught errors that could not be attributed to a running attempt',
    labels: [],
  },
  pawl_transitions_total: {
    name: 'pawl_transitions_total',
    type: 'counter',
    help: 'Transitions, by the event that each wrote',
    labels: ['lifecycle', 'event'],
  },
  pawl_jobs: {
    name: 'pawl_jobs',
    type: 'gauge',
    help: `Jobs that have not ended; ${BOUND}`,
    labels: ['job_type', 'phase'],
    isShared: true,
  },
  pawl_queue_depth: {
    name: 'pawl_queue_depth',
    type: 'gauge',
    help: `Ready jobs, due or not; ${BOUND}`,
    labels: ['queue', 'priority'],
    isShared: true,
  },
  pawl_queue_oldest_seconds: {
    name: 'pawl_queue_oldest_seconds',
    type: 'gauge',
    help: `How long the oldest ready job of a queue has been due; ${FIRST}`,
    labels: ['queue'],
    isShared: true,
  },
  pawl_tail_lag_seconds: {
    name: 'pawl_tail_lag_seconds',
    type: 'gauge',
    help: 'Age of the oldest event that is not yet visible to readers of the log',
    labels: [],
    isShared: true,
  },
  pawl_follower_lag_seconds: {
    name: 'pawl_follower_lag_seconds',
    type: 'gauge',
    help: 'Age of the oldest event that a durable follower of the log has not handled',
    labels: ['follower'],
    isShared: true,
  },
  pawl_sse_streams: {
    name: 'pawl_sse_streams',
    type: 'gauge',
    help: 'Event streams open in this process',
    labels: [],
  },
  pawl_store_seconds: {
    name: 'pawl_store_seconds',
    type: 'histogram',
    help: 'Latency of store calls; writes answer after their commit',
    labels: ['verb', 'result'],
    buckets: CALL_SECONDS,
  },
  pawl_http_request_seconds: {
    name: 'pawl_http_request_seconds',
    type: 'histogram',
    help: 'Latency of HTTP requests',
    labels: ['method', 'route', 'status'],
    buckets: CALL_SECONDS,
  },
} as const satisfies Record<string, MetricDefinition>;

const SLO_METRICS = {
  pawl_slo_duration_seconds: {
    name: 'pawl_slo_duration_seconds',
    type: 'gauge',
    help: 'Measured duration (or first-token latency) of succeeded jobs, by quantile',
    labels: ['job_type', 'window', 'quantile'],
    isShared: true,
  },
  pawl_slo_duration_target_seconds: {
    name: 'pawl_slo_duration_target_seconds',
    type: 'gauge',
    help: 'Target for the duration, by quantile',
    labels: ['job_type', 'quantile'],
    isShared: true,
  },
  pawl_slo_failure_ratio: {
    name: 'pawl_slo_failure_ratio',
    type: 'gauge',
    help: 'Share of jobs that failed, without failures caused by their users',
    labels: ['job_type', 'window'],
    isShared: true,
  },
  pawl_slo_failure_target_ratio: {
    name: 'pawl_slo_failure_target_ratio',
    type: 'gauge',
    help: 'Target for that share',
    labels: ['job_type'],
    isShared: true,
  },
  pawl_slo_burn_rate: {
    name: 'pawl_slo_burn_rate',
    type: 'gauge',
    help: 'Burn rate: how many times faster than allowed the error budget is spent',
    labels: ['job_type', 'window'],
    isShared: true,
  },
  pawl_slo_error_budget_remaining_ratio: {
    name: 'pawl_slo_error_budget_remaining_ratio',
    type: 'gauge',
    help: 'Error budget left of the last 7 days, as a share; below 0 it is overspent',
    labels: ['job_type'],
    isShared: true,
  },
  pawl_slo_alert: {
    name: 'pawl_slo_alert',
    type: 'gauge',
    help: '1 while the burn rate is too high over both a long and a short window',
    labels: ['job_type', 'alert'],
    isShared: true,
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the platform's own; /metrics, the documentation and the tests are made of it. */
export const METRICS = {
  ...TASK_METRICS,
  ...LEASE_METRICS,
  ...PLATFORM_METRICS,
  ...STORE_METRICS,
  ...SLO_METRICS,
} as const;

export type MetricName = keyof typeof METRICS;

type LabelsOf<Name extends MetricName> = (typeof METRICS)[Name]['labels'][number];

/** A value for each label of the metric. */
export type LabelValues<Name extends MetricName> = Readonly<Record<LabelsOf<Name>, string>>;

type Typed<Type extends string> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type CounterName = Typed<'counter'>;
export type GaugeName = Typed<'gauge'>;
export type HistogramName = Typed<'histogram'>;
