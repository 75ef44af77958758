// What programs name: `import { defineJob, openPawl } from 'pawl'`.
export {
  defineLifecycle,
  type LifecycleDefinition,
  LifecycleError,
} from './core/define-lifecycle.ts';
export type { Duration } from './core/duration.ts';
export { type ErrorCode, type Fault, isPawlError, PawlError } from './core/errors.ts';
export type { ErrorCause, JobError, ParentKind } from './core/job.ts';
export type { Lifecycle } from './core/lifecycle.ts';
export type { Phase } from './core/phase.ts';
export type { StageRange } from './core/policy.ts';
export { type Backoff, exponential, fixed } from './core/retry.ts';
export type { Finding } from './doctor/finding.ts';
export type { UniqueOption } from './handle/enqueue-options.ts';
export type {
  DeadLetterFilter,
  DeadLetters,
  FailureCause,
  FailureFilter,
  Failures,
  ManyResult,
  ManyResults,
} from './handle/failures.ts';
export type {
  CancelOptions,
  EnqueueOutcome,
  EventOptions,
  RerunOptions,
} from './handle/job-access.ts';
export {
  isJobCancelled,
  isJobFailed,
  JobCancelled,
  JobFailed,
  JobGone,
  WaitTimeout,
} from './handle/job-errors.ts';
export type { JobHandle, WaitOptions } from './handle/job-handle.ts';
export type { JobQuery } from './handle/job-query.ts';
export type {
  ArtifactSnapshot,
  DeadLetterSnapshot,
  JobEventSnapshot,
  JobSnapshot,
  Page,
  Paging,
  SnapshotOf,
  WhySnapshot,
} from './handle/job-snapshot.ts';
export type { JobVerbs, TriedJob } from './handle/job-verbs.ts';
export type {
  QueueCounts,
  QueueHandle,
  QueueLimits,
  QueueSnapshot,
} from './handle/queue-handle.ts';
export type {
  FireSnapshot,
  MissedOption,
  ScheduleOptions,
  ScheduleRule,
  Schedules,
  ScheduleSnapshot,
} from './handle/schedule.ts';
export type {
  ArtifactContent,
  ArtifactName,
  KeptArtifact,
  OpenedArtifact,
} from './handler/artifact.ts';
export type {
  Compensation,
  Context,
  Done,
  JobFacts,
  RunContext,
  StageContext,
  StageRunner,
  Trace,
} from './handler/context.ts';
export {
  declareJob,
  type DeclaredJob,
  defineJob,
  type HandlerOptions,
  type JobDefinition,
  type JobOptions,
} from './handler/define-job.ts';
export type { ErrorConstructor, ErrorMatcher } from './handler/error-matcher.ts';
export type { ExposeText } from './handler/exposure.ts';
export {
  fail,
  type FailureDetails,
  isJobFailure,
  JobFailure,
  LeaseConflictError,
  PermanentError,
  TransientError,
  ValidationError,
} from './handler/failure.ts';
export type { Isolation } from './handler/isolation.ts';
export { type InputOf, isJobType, type JobType, type ResultOf } from './handler/job-type.ts';
export type { Json } from './handler/json.ts';
export type {
  BackoffOption,
  LimitOptions,
  PolicyOptions,
  RateOption,
  SloOptions,
} from './handler/policy-options.ts';
export { type None, type Schema, typed } from './handler/schema.ts';
export { JobStop, type StopWhy } from './handler/stop.ts';
export { fromTypebox } from './handler/typebox.ts';
export { lifecycles } from './lifecycles/built-in.ts';
export type { JobObserver, ObservedChange, ObservedEvent } from './pawl/observe.ts';
export { openPawl, type PawlOptions, type PostgresPool } from './pawl/open-pawl.ts';
export type {
  Pawl,
  PawlEnqueueOptions as EnqueueOptions,
  PawlWorker,
  WorkOptions,
} from './pawl/pawl.ts';
export type { RetentionOption } from './pawl/retention-option.ts';
export type { Surroundings } from './pawl/surround.ts';
export type { Transaction } from './pawl/transaction.ts';
export type { ConsoleLog, FactsFirstLog, UserLog } from './pawl/user-log.ts';
export { StoreError } from './store/store-error.ts';
export { drainOnSignal } from './worker/shutdown.ts';
export type { DrainOptions } from './worker/worker.ts';
