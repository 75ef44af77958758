export { openPawl, Pawl, type PawlOptions } from './app/pawl.ts';
export { systemClock } from './core/clock.ts';
export {
  defineLifecycle,
  type LifecycleDefinition,
  LifecycleError,
} from './core/define-lifecycle.ts';
export type { Duration } from './core/duration.ts';
export type { DlqReason } from './core/error-class.ts';
export { type ErrorCode, type Fault, isPawlError, PawlError } from './core/errors.ts';
export type { EventType, JobEvent } from './core/event.ts';
export { systemIds } from './core/ids.ts';
export type { CancelMode, ErrorCause, Job, JobError, JobRef } from './core/job.ts';
export type { Lifecycle } from './core/lifecycle.ts';
export type { Phase } from './core/phase.ts';
export type { StageRange } from './core/policy.ts';
export { systemRandom } from './core/random.ts';
export { type Backoff, exponential, fixed, type Jitter } from './core/retry.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export type { EnqueueMore } from './engine/enqueue-request.ts';
export type { Observation, Observer, StatusChange } from './engine/follow/observer.ts';
export type { UniqueWish } from './engine/unique.ts';
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
export { builtInLifecycles, lifecycles } from './lifecycles/built-in.ts';
export { StoreError } from './store/store-error.ts';
export type { WorkerOptions } from './worker/open-worker.ts';
export { drainOnSignal } from './worker/shutdown.ts';
export type { DrainOptions, Worker } from './worker/worker.ts';
