// What plug-ins are written with, beside `pawl` and `pawl/define`.
export type { EnqueueJson } from '../contract/enqueue.ts';
export { briefEventJson, timeText } from '../contract/event-view.ts';
export { IDEMPOTENT_BY_KEY } from '../contract/headers.ts';
export { etagOf, IfMatch, IfMatchByKey, preconditionOf } from '../contract/if-match.ts';
export { type Precondition, tagOf } from '../core/precondition.ts';
export type { ScheduleBodyJson } from '../contract/schedule.ts';
export type { TypeJson } from '../contract/type.ts';
export { closed, nothing, nullable, pageOf, PAGING, Time, Uuid } from '../contract/values.ts';
export * from '../contract/webhook.ts';
export { mayExecute, ownKey, type Requester } from '../core/job-access.ts';
export { apiActor } from '../core/actor.ts';
export { found, type Found, good } from '../doctor/finding.ts';
export type { ArtifactJson } from '../contract/artifact.ts';
export {
  type Credential,
  GUEST_CREDENTIAL,
  HOME_TENANT,
  OPEN_CREDENTIAL,
} from '../contract/credential.ts';
export { DEFAULT_TARGETS } from '../contract/slo-target.ts';
export { faultsOf } from '../contract/faults.ts';
export { type ProviderJson, type ProvidersJson, ProvidersSchema } from '../contract/provider.ts';
export { isPawlError } from '../core/errors.ts';
export type { Artifacts } from '../engine/artifacts.ts';
export { largeSink, largeSource, valuesIn, wholeResult } from '../engine/by-reference.ts';
export type { EngineLog } from '../engine/context.ts';
export type { TypeDefinition } from '../engine/define-type.ts';
export type { Engine } from '../engine/engine.ts';
export type { EnqueueRequest } from '../engine/enqueue-request.ts';
export type { FollowUp } from '../engine/follow/follow-ups.ts';
export type { LogFollower } from '../engine/follow/log-follower.ts';
export { SHARED_TENANT } from '../engine/registry.ts';
export { definitionOf } from '../engine/stored-definition.ts';
export type { UniqueWish } from '../engine/unique.ts';
export { auditOps, type NewAuditEntry } from '../records/audit.ts';
export { ConfigurationError } from '../settings/configuration-error.ts';
export type { Setting } from '../settings/setting.ts';
export type { NewJob } from '../store/insert.ts';
export type { JobPage, TailItem } from '../store/query.ts';
export type { RecordKey, RecordKind, RecordStore, StoredRecord } from '../store/records.ts';
export { byPhase, type Tally } from '../store/tally.ts';
export { openWorker, type WorkerOptions } from '../worker/open-worker.ts';
export type { Worker } from '../worker/worker.ts';
export * from './answer.ts';
export { UndeclaredRecordError } from './declared-records.ts';
export * from './host.ts';
export * from './plugin.ts';
export * from './process-role.ts';
export * from './route.ts';
