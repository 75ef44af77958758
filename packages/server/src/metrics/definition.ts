/** One metric, as data: what it is called, what it means and by what it is told apart. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly LabelName[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** True where the database tells it, so that every process says the same: take the maximum. */
  readonly isShared?: true;
}

/**
 * The labels there are and how many values each may have in one process; what comes beyond is told
 * as `other`. None is ever an id.
 */
export const LABELS = {
  job_type: 200,
  queue: 200,
  error_class: 100,
  stage: 200,
  outcome: 4,
  phase: 9,
  priority: 2,
  event: 32,
  lifecycle: 32,
  follower: 64,
  verb: 64,
  result: 4,
  method: 16,
  route: 200,
  status: 8,
  window: 8,
  quantile: 8,
  alert: 4,
} as const;

export type LabelName = keyof typeof LABELS;

/** Seconds; from a quick call to a day of work. */
export const JOB_SECONDS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 1.2, 2, 4, 6, 8, 12, 15, 25, 30, 60, 120, 300, 900, 3_600, 14_400,
  86_400,
];

export const CALL_SECONDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];
