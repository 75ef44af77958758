// What a module of job definitions needs, without an engine: it is loaded by threads and processes
// that run one job.
export { SYSTEM_ACTOR } from '../core/actor.ts';
export { canonicalJson } from '../core/canonical-json.ts';
export { type Clock, type Instant, systemClock } from '../core/clock.ts';
export { errorCodeOf } from '../core/error-class.ts';
export { type Fault, invalid, PawlError } from '../core/errors.ts';
export { EVENT_TYPES, type JobEvent } from '../core/event.ts';
export { inexactFault, type InexactNumber, inexactNumberIn } from '../core/exact-number.ts';
export { derivedId, eventIdOf } from '../core/ids.ts';
export { isInternalType } from '../core/internal-type.ts';
export type { Job, JobError, JobRef } from '../core/job.ts';
export type { LeasePolicy } from '../core/lease.ts';
export { isTerminal, type Phase } from '../core/phase.ts';
export { type Random, systemRandom } from '../core/random.ts';
export { backoffMs, exponential } from '../core/retry.ts';
export { systemTimers, type Timers } from '../core/timers.ts';
export { keptTrace } from '../core/trace.ts';
export { isUuid } from '../core/uuid.ts';
export type { KeptArtifact, OpenedArtifact } from '../handler/artifact.ts';
export type { Done, RunContext } from '../handler/context.ts';
export { defineJob, type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
export type { Exposure, JsonSchema } from '../handler/exposure.ts';
export {
  fail,
  isJobFailure,
  JobFailure,
  PermanentError,
  TransientError,
  ValidationError,
} from '../handler/failure.ts';
export { defineFixedRetryJob } from '../handler/fixed-retries.ts';
export { Pause } from '../handler/pause.ts';
export type { RateOption } from '../handler/policy-options.ts';
export { exactlyOne, refined } from '../handler/refined.ts';
export { type Schema, typed } from '../handler/schema.ts';
export { isHeeded, JobStop } from '../handler/stop.ts';
export { fromTypebox } from '../handler/typebox.ts';
export { catchUncaught, takingUncaught } from '../handler/uncaught.ts';
export { distributed } from '../lifecycles/distributed.ts';
export { document } from '../lifecycles/document.ts';
export { platform } from '../lifecycles/platform.ts';
export { process } from '../lifecycles/process.ts';
export { excerptOf, retryAfterMs } from '../outgoing/answer-excerpt.ts';
export type { Outgoing, OutgoingResponse } from '../outgoing/outgoing.ts';
export { OutgoingError } from '../outgoing/outgoing-error.ts';
