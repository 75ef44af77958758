export { type EnqueueMore, openPawl, Pawl, type PawlOptions } from './app/pawl.ts';
export { type Clock, type Instant, ManualClock, systemClock } from './core/clock.ts';
export {
  defineLifecycle,
  type LifecycleDefinition,
  LifecycleError,
} from './core/define-lifecycle.ts';
export type { Failure } from './core/decision.ts';
export { DLQ_REASONS, type DlqReason, ERROR_CLASSES } from './core/error-class.ts';
export { type ErrorCode, ERRORS, type Fault, PawlError } from './core/errors.ts';
export {
  EVENT_TYPES,
  type EventType,
  type JobEvent,
  NOTE_TYPES,
  type NoteType,
} from './core/event.ts';
export { eventIdOf, type Ids, seededIds, systemIds } from './core/ids.ts';
export type { CancelMode, CancelWish, Job, JobError, JobRef } from './core/job.ts';
export type { LeasePolicy } from './core/lease.ts';
export type { Lifecycle, Place, Transition, Trigger } from './core/lifecycle.ts';
export { type Phase, PHASES } from './core/phase.ts';
export type { Policy, StageRange } from './core/policy.ts';
export { type Random, SeededRandom, systemRandom } from './core/random.ts';
export { type Backoff, exponential, fixed, type Jitter, type RetryPolicy } from './core/retry.ts';
export { systemTimers, type Timers } from './core/timers.ts';
export type { Claim, ClaimOptions } from './engine/claim.ts';
export type { TypeDefinition } from './engine/define-type.ts';
export type { Caller, EnqueueOptions, EnqueueResult } from './engine/enqueue.ts';
export type { EnqueueRequest } from './engine/enqueue-request.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export type { Batch, FollowerReset, FollowFrom, FollowOptions } from './engine/follow/follower.ts';
export { type FollowRound, LogFollower } from './engine/follow/log-follower.ts';
export type { Observation, Observer, StatusChange } from './engine/follow/observer.ts';
export type { FollowerLag, FollowerView } from './engine/follow/standing.ts';
export type { CancelRequest, CancelResult } from './engine/operate.ts';
export type { Beat, BeatResult, Ownership } from './engine/owner.ts';
export { SHARED_TENANT } from './engine/registry.ts';
export type { ScheduleDefinition, ScheduledJob } from './engine/schedules/definition.ts';
export { type ScheduleRule, slotsBetween } from './engine/schedules/rule.ts';
export { nextRuns, type Schedules, type ScheduleView } from './engine/schedules/schedules.ts';
export type { Ending, Settlement } from './engine/settle.ts';
export type { Duty, DutyFailure, DutyStatus } from './engine/sweeps/duties.ts';
export { type SweepReport, Sweeper } from './engine/sweeps/sweeper.ts';
export type { TransitionOutcome } from './engine/transition.ts';
export type { UniqueWish } from './engine/unique.ts';
export type {
  ArtifactContent,
  ArtifactName,
  KeptArtifact,
  OpenedArtifact,
} from './handler/artifact.ts';
export type {
  Compensation,
  Done,
  Effect,
  JobFacts,
  RunContext,
  StageContext,
  StageRunner,
  Trace,
} from './handler/context.ts';
export {
  defineJob,
  type JobDefinition,
  type JobOptions,
  type JobPolicy,
  typeDefinitionOf,
} from './handler/define-job.ts';
export type { ExposeText, Exposure, JsonSchema } from './handler/exposure.ts';
export {
  fail,
  type FailureDetails,
  JobFailure,
  LeaseConflictError,
  PermanentError,
  TransientError,
  ValidationError,
} from './handler/failure.ts';
export type { Isolation } from './handler/isolation.ts';
export { type Schema, trusted } from './handler/schema.ts';
export { JobStop, type StopWhy } from './handler/stop.ts';
export { fromTypebox } from './handler/typebox.ts';
export { builtInLifecycles } from './lifecycles/built-in.ts';
export { distributed } from './lifecycles/distributed.ts';
export { document } from './lifecycles/document.ts';
export { platform } from './lifecycles/platform.ts';
export { process } from './lifecycles/process.ts';
export { recordOf } from './lifecycles/record.ts';
export { task } from './lifecycles/task.ts';
export type { FollowerRecord, FollowerTrouble } from './records/followers.ts';
export type { DeadLetter } from './records/dead-letters.ts';
export type { TailItem } from './store/query.ts';
export type { Store } from './store/store.ts';
export { StoreError } from './store/store-error.ts';
export { Compensator, type CompensatorOptions } from './worker/compensator.ts';
export type { ArtifactDesk } from './worker/attempt-artifacts.ts';
export type { JobSource, SourceOutcome } from './worker/job-source.ts';
export { openWorker, type WorkerOptions } from './worker/open-worker.ts';
export { drainOnSignal } from './worker/shutdown.ts';
export { type DrainOptions, Worker } from './worker/worker.ts';
