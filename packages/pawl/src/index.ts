// What programs name: `import { defineJob, openPawl } from 'pawl'`. Of types: what they are given,
// and the few that they write down themselves; a literal in a call needs no name.

// --- Jobs and their handlers -------------------------------------------------------------------
export type { Duration } from './core/duration.ts';
export type { KeptArtifact, OpenedArtifact } from './handler/artifact.ts';
export type { BatchJob, BatchOptions, Failed } from './handler/batch.ts';
export type { Compensation, Context, JobFacts, RunContext } from './handler/context.ts';
export {
  declareJob,
  type DeclaredJob,
  defineJob,
  type JobDefinition,
  type JobOptions,
} from './handler/define-job.ts';
export { ChildrenFailed, type FailedChild, isChildrenFailed } from './handler/children-failed.ts';
export {
  fail,
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
export { type None, type Schema, typed } from './handler/schema.ts';
export { JobStop } from './handler/stop.ts';
export { isSuspended } from './handler/suspended.ts';
export type {
  CallOptions,
  ChildOutcome,
  Children,
  First,
  FlowVerbs,
  Spawned,
  UnnamedWait,
  Wait,
} from './handler/waits.ts';
export { fromTypebox } from './handler/typebox.ts';

// --- Lifecycles --------------------------------------------------------------------------------
export {
  defineLifecycle,
  type LifecycleDefinition,
  LifecycleError,
} from './core/define-lifecycle.ts';
export type { Lifecycle } from './core/lifecycle.ts';
export type { Phase } from './core/phase.ts';
export { exponential, fixed } from './core/retry.ts';
export { lifecycles } from './lifecycles/built-in.ts';

// --- A platform in a program -------------------------------------------------------------------
export type { Finding } from './doctor/finding.ts';
export type { JobObserver, ObservedChange, ObservedEvent } from './pawl/observe.ts';
export { openPawl, type PawlOptions } from './pawl/open-pawl.ts';
export { type Config, defineConfig } from './settings/config-file.ts';
export type {
  Pawl,
  PawlEnqueueOptions as EnqueueOptions,
  PawlWorker,
  WorkOptions,
} from './pawl/pawl.ts';
export type { Transaction } from './pawl/transaction.ts';
export type { UserLog } from './pawl/user-log.ts';
export { drainOnSignal } from './worker/shutdown.ts';

// --- Jobs in a program's hand, and lists -------------------------------------------------------
export type { JobError } from './core/job.ts';
export type { DeadLetters, FailureCause, Failures, ManyResults } from './handle/failures.ts';
export {
  type GraphHandles,
  type GraphItem,
  type GraphOptions,
  item,
  type OnNeedFailed,
} from './handle/graph.ts';
export type { JobHandle } from './handle/job-handle.ts';
export type { JobQuery } from './handle/job-query.ts';
export type {
  ArtifactSnapshot,
  DeadLetterSnapshot,
  JobEventSnapshot,
  JobSnapshot,
  Page,
  TreeSnapshot,
  WaitSnapshot,
  WhySnapshot,
} from './handle/job-snapshot.ts';
export type { JobVerbs, TriedJob } from './handle/job-verbs.ts';
export type { QueueCounts, QueueHandle, QueueSnapshot } from './handle/queue-handle.ts';
export type { FireSnapshot, ScheduleRule, Schedules, ScheduleSnapshot } from './handle/schedule.ts';

// --- Errors that calls reject with -------------------------------------------------------------
export { type ErrorCode, isPawlError, PawlError } from './core/errors.ts';
export {
  isJobCancelled,
  isJobFailed,
  JobCancelled,
  JobFailed,
  JobGone,
  WaitTimeout,
} from './handle/job-errors.ts';
export { StoreError } from './store/store-error.ts';
