import type { EventType, JobEvent, NoteType } from '../../core/event.ts';
import type {
  CancelMode,
  CancelWish,
  Job,
  JobError,
  JsonText,
  ParentKind,
} from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { quickMs, toMs } from './sql-text.ts';

/** How the columns of a job travel: times as milliseconds, payloads as the text that was stored. */
export const JOB_TRAVELS: readonly (readonly [name: string, type: string])[] = [
  ['tenant_id', 'int'],
  ['id', 'uuid'],
  ['type', 'text'],
  ['queue', 'text'],
  ['lifecycle', 'smallint'],
  ['policy', 'int'],
  ['state', 'text'],
  ['phase', 'smallint'],
  ['epoch', 'int'],
  ['version', 'int'],
  ['priority', 'int'],
  ['run_at', 'time'],
  ['deadline_at', 'time'],
  ['attempts', 'int'],
  ['max_attempts', 'int'],
  ['retry_count', 'int'],
  ['backoff_ms', 'int8'],
  ['progress', 'double precision'],
  ['stage', 'text'],
  ['message', 'text'],
  ['lease_owner', 'text'],
  ['lease_expiry', 'time'],
  ['cancel_mode', 'text'],
  ['cancel_reason', 'text'],
  ['created_at', 'time'],
  ['updated_at', 'time'],
  ['started_at', 'time'],
  ['completed_at', 'time'],
  ['error', 'json'],
  ['input', 'json'],
  ['result', 'json'],
  ['checkpoint', 'json'],
  ['metadata', 'json'],
  ['correlation_id', 'text'],
  ['trace_id', 'text'],
  ['requested_by', 'text'],
  ['parent_job_id', 'uuid'],
  ['document_id', 'text'],
  ['job_limit_key', 'text'],
  ['parent_kind', 'text'],
];

/** The columns of a function that returns jobs. */
export const JOB_FIELDS: string = JOB_TRAVELS.map(
  ([name, type]) => `${name} ${type === 'time' ? 'int8' : type}`,
).join(', ');

export function jobSelect(alias: string): string {
  return JOB_TRAVELS.map(([name, type]) => {
    const column = `${alias}.${name}`;
    return type === 'time' ? `${toMs(column)} AS ${name}` : column;
  }).join(', ');
}

/** Times that a caller may choose, and so far in the future as it likes. */
const GIVEN_TIMES: readonly string[] = ['run_at', 'deadline_at'];

/** The same for large answers. */
export function quickJobSelect(alias: string): string {
  return JOB_TRAVELS.map(([name, type]) => {
    const column = `${alias}.${name}`;
    if (type !== 'time') return column;
    return GIVEN_TIMES.includes(name) ? toMs(column) : quickMs(column);
  }).join(', ');
}

export interface JobRow {
  tenant_id: number;
  id: string;
  type: string;
  queue: string;
  lifecycle: number;
  policy: number;
  state: string;
  phase: number;
  epoch: number;
  version: number;
  priority: number;
  run_at: number;
  deadline_at: number | null;
  attempts: number;
  max_attempts: number;
  retry_count: number;
  backoff_ms: number | null;
  progress: number;
  stage: string | null;
  message: string | null;
  lease_owner: string | null;
  lease_expiry: number | null;
  cancel_mode: CancelMode | null;
  cancel_reason: string | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  completed_at: number | null;
  error: JsonText | null;
  input: JsonText;
  result: JsonText | null;
  checkpoint: JsonText | null;
  metadata: JsonText | null;
  correlation_id: string | null;
  trace_id: string | null;
  requested_by: string | null;
  parent_job_id: string | null;
  document_id: string | null;
  job_limit_key: string | null;
  parent_kind: ParentKind | null;
}

/** What the rows hold as numbers and everyone else knows by name. */
export interface Names {
  tenant(id: number): string;
  lifecycle(id: number): { readonly name: string; readonly version: number };
}

export function cancelOf(mode: CancelMode | null, reason: string | null): CancelWish | null {
  return mode === null ? null : { mode, reason };
}

export function errorOf(text: JsonText | null): JobError | null {
  return text === null ? null : (JSON.parse(text) as JobError);
}

export function jobOf(row: JobRow, names: Names): Job {
  const lifecycle = names.lifecycle(row.lifecycle);
  return {
    tenant: names.tenant(row.tenant_id),
    id: row.id,
    type: row.type,
    queue: row.queue,
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: row.policy,
    state: row.state,
    phase: phaseOfRank(row.phase),
    epoch: row.epoch,
    version: row.version,
    priority: row.priority,
    runAt: row.run_at,
    deadlineAt: row.deadline_at,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    retryCount: row.retry_count,
    backoffMs: row.backoff_ms,
    progress: row.progress,
    stage: row.stage,
    message: row.message,
    owner: row.lease_owner,
    leaseExpiry: row.lease_expiry,
    cancel: cancelOf(row.cancel_mode, row.cancel_reason),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    error: errorOf(row.error),
    input: row.input,
    result: row.result,
    checkpoint: row.checkpoint,
    metadata: row.metadata,
    correlationId: row.correlation_id,
    traceId: row.trace_id,
    requestedBy: row.requested_by,
    limitKey: row.job_limit_key,
    parentJobId: row.parent_job_id,
    parentKind: row.parent_kind,
    documentId: row.document_id,
  };
}

export const EVENT_FIELDS = `tenant_id int, job_id uuid, version int, note int, type text, at int8,
  from_state text, to_state text, phase smallint, epoch int, attempt int, retry_count int,
  progress double precision, stage text, message text, actor text, cause text, payload json`;

export function eventSelect(alias: string): string {
  const columns = `tenant_id, @.job_id, @.version, 0 AS note, @.type, ${toMs('@.ts')} AS at,
    @.from_state, @.to_state, @.phase, @.epoch, @.attempt, @.retry_count, @.progress, @.stage,
    @.message, @.actor, @.cause, @.payload`;
  return `@.${columns}`.replaceAll('@', alias);
}

/** A note in the shape of an event: it moves nothing, so it goes from its state to its state. */
export function noteSelect(alias: string): string {
  const columns = `tenant_id, @.job_id, @.version, @.n AS note, @.type, ${toMs('@.ts')} AS at,
    @.state, @.state, @.phase, @.epoch, @.attempt, @.retry_count, @.progress, @.stage,
    @.message, @.actor, NULL::text, @.payload`;
  return `@.${columns}`.replaceAll('@', alias);
}

export interface EventRow {
  tenant_id: number;
  job_id: string;
  version: number;
  note: number;
  type: EventType | NoteType;
  at: number;
  from_state: string | null;
  to_state: string;
  phase: number;
  epoch: number;
  attempt: number;
  retry_count: number;
  progress: number;
  stage: string | null;
  message: string | null;
  actor: string;
  cause: string | null;
  payload: JsonText | null;
}

export function eventOf(row: EventRow, names: Names): JobEvent {
  return {
    tenant: names.tenant(row.tenant_id),
    jobId: row.job_id,
    version: row.version,
    note: row.note,
    type: row.type,
    at: row.at,
    from: row.from_state,
    to: row.to_state,
    phase: phaseOfRank(row.phase),
    epoch: row.epoch,
    attempt: row.attempt,
    retryCount: row.retry_count,
    progress: row.progress,
    stage: row.stage,
    message: row.message,
    actor: row.actor,
    cause: row.cause,
    payload: row.payload === null ? null : (JSON.parse(row.payload) as Record<string, unknown>),
  };
}
