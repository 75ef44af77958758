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
export type { CancelRequest, CancelResult } from './engine/operate.ts';
export type { Beat, BeatResult, Ownership } from './engine/owner.ts';
export { SHARED_TENANT } from './engine/registry.ts';
export type { Ending, Settlement } from './engine/settle.ts';
export { Sweeper } from './engine/sweeps/sweeper.ts';
export type { TransitionOutcome } from './engine/transition.ts';
export { builtInLifecycles } from './lifecycles/built-in.ts';
export { recordOf } from './lifecycles/record.ts';
export type { DeadLetter } from './store/dead-letter.ts';
export type { Store } from './store/store.ts';
export { StoreError } from './store/store-error.ts';
