import { EVENT_TYPES, type JobEvent, NOTE_TYPES } from '../../core/event.ts';
import {
  type CancelMode,
  type CancelWish,
  type Job,
  type JobError,
  type JsonText,
  PARENT_KINDS,
  type ParentKind,
} from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import type { Dictionary } from './dictionary.ts';

/** A job as `read_jobs` and its kin answer with it. */
export interface JobRow {
  readonly ord: number;
  readonly id: string;
  readonly tenant: number;
  readonly lane: number;
  readonly policy: number;
  readonly lifecycle: number;
  readonly state: number;
  readonly phase: number;
  readonly gate: number | null;
  readonly epoch: number;
  readonly version: number;
  readonly priority: number;
  readonly run_at: number;
  readonly deadline_at: number | null;
  readonly attempts: number;
  readonly retry_count: number;
  readonly backoff_ms: number | null;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly owner: string | null;
  readonly lease_expiry: number | null;
  readonly cancel_mode: number | null;
  readonly cancel_reason: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly error: JsonText | null;
  readonly input: JsonText;
  readonly result: JsonText | null;
  readonly checkpoint: JsonText | null;
  readonly metadata: JsonText | null;
  readonly correlation_id: string | null;
  readonly trace_id: string | null;
  readonly requested_by: string | null;
  readonly limit_key: string | null;
  readonly parent_job_id: string | null;
  readonly parent_kind: number | null;
  readonly document_id: string | null;
}

const MODES: readonly CancelMode[] = ['soft', 'hard'];

export function modeCode(mode: CancelMode): number {
  return MODES.indexOf(mode) + 1;
}

export function cancelOf(mode: number | null, reason: string | null): CancelWish | null {
  return mode === null ? null : { mode: MODES[mode - 1]!, reason };
}

export function parentCode(kind: ParentKind): number {
  return PARENT_KINDS.indexOf(kind) + 1;
}

export function parentKindOf(code: number | null): ParentKind | null {
  return code === null ? null : PARENT_KINDS[code - 1]!;
}

export function errorOf(text: JsonText | null): JobError | null {
  return text === null ? null : (JSON.parse(text) as JobError);
}

export function jobOf(row: JobRow, names: Dictionary): Job {
  const lifecycle = names.lifecycleOf(row.lifecycle);
  const lane = names.laneOf(row.lane);
  return {
    tenant: names.tenantName(row.tenant),
    id: row.id,
    type: lane.type,
    queue: lane.queue,
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: row.policy,
    state: lifecycle.states[row.state - 1]!,
    phase: phaseOfRank(row.phase),
    epoch: row.epoch,
    version: row.version,
    priority: row.priority,
    runAt: row.run_at,
    deadlineAt: row.deadline_at,
    attempts: row.attempts,
    maxAttempts: names.policy(row.policy).retry.maxAttempts,
    retryCount: row.retry_count,
    backoffMs: row.backoff_ms,
    progress: row.progress,
    stage: row.stage,
    message: row.message,
    owner: row.owner,
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
    limitKey: row.limit_key,
    parentJobId: row.parent_job_id,
    parentKind: parentKindOf(row.parent_kind),
    documentId: row.document_id,
  };
}

/** Rows in words. */
export async function toJobs(rows: readonly JobRow[], names: Dictionary): Promise<Job[]> {
  await names.learn(rows);
  return rows.map((row) => jobOf(row, names));
}

const NOTES_FROM = 101;

type Kind = JobEvent['type'];

const EVENT_CODES: ReadonlyMap<Kind, number> = new Map([
  ...EVENT_TYPES.map((type, index): [Kind, number] => [type, index + 1]),
  ...NOTE_TYPES.map((type, index): [Kind, number] => [type, index + NOTES_FROM]),
]);

export function kindCode(type: Kind): number {
  return EVENT_CODES.get(type)!;
}

export function kindOf(code: number): Kind {
  return code < NOTES_FROM ? EVENT_TYPES[code - 1]! : NOTE_TYPES[code - NOTES_FROM]!;
}

export interface EventRow {
  readonly tenant: number;
  readonly id: string;
  readonly version: number;
  readonly note: number;
  readonly kind: number;
  readonly at: number;
  readonly lifecycle: number;
  readonly from_state: number | null;
  readonly to_state: number;
  readonly phase: number;
  readonly epoch: number;
  readonly attempt: number;
  readonly retry_count: number;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly actor: string;
  readonly cause: string | null;
  readonly payload: JsonText | Record<string, unknown> | null;
}

export function eventOf(row: EventRow, names: Dictionary): JobEvent {
  const { states } = names.lifecycleOf(row.lifecycle);
  const { payload } = row;
  return {
    tenant: names.tenantName(row.tenant),
    jobId: row.id,
    version: row.version,
    note: row.note,
    type: kindOf(row.kind),
    at: row.at,
    from: row.from_state === null ? null : states[row.from_state - 1]!,
    to: states[row.to_state - 1]!,
    phase: phaseOfRank(row.phase),
    epoch: row.epoch,
    attempt: row.attempt,
    retryCount: row.retry_count,
    progress: row.progress,
    stage: row.stage,
    message: row.message,
    actor: row.actor,
    cause: row.cause,
    payload:
      typeof payload === 'string' ? (JSON.parse(payload) as Record<string, unknown>) : payload,
  };
}
