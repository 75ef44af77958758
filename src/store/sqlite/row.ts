import type { SQLOutputValue } from 'node:sqlite';
import { isUuid } from '../../core/uuid.ts';
import type { CancelMode, CancelWish, Job, JobError, ParentKind } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { AGING_MS } from '../../core/rank.ts';
import { StoreError } from '../store-error.ts';
import type { Registry } from './registry.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A row as node:sqlite gives it. */
export type Row = Record<string, SQLOutputValue>;

/** Where a job stands in line; indexes and statements must say it in the same words. */
export const RANK_AT: string = `(run_at - priority * ${AGING_MS})`;

/**
 * Every column of a job that `jobOfRow` reads, and `seq`. The id comes as text: bytes would be a
 * buffer with a memory of its own for each row.
 */
export const JOB_COLUMNS = `seq, lower(hex(id)) AS hex, tenant_id, lifecycle, policy, type, queue,
  state, phase, epoch, version, gate, limit_key, user_key, organisation_key, priority, run_at,
  deadline_at, attempts, max_attempts, retry_count, backoff_ms,
  progress, notes, lease_owner, lease_expiry, lease_until, cancel_mode, cancel_reason,
  created_at, updated_at, started_at, completed_at, stage, message, correlation_id, trace_id,
  requested_by, parent_job_id, document_id, job_limit_key, parent_kind, error, metadata, checkpoint,
  result, input`;

export interface JobRow extends Row {
  seq: number;
  hex: string;
  tenant_id: number;
  lifecycle: number;
  policy: number;
  type: string;
  queue: string;
  state: string;
  phase: number;
  epoch: number;
  version: number;
  gate: number | null;
  limit_key: string | null;
  user_key: string | null;
  organisation_key: string | null;
  priority: number;
  run_at: number;
  deadline_at: number | null;
  attempts: number;
  max_attempts: number;
  retry_count: number;
  backoff_ms: number | null;
  progress: number;
  notes: number;
  lease_owner: string | null;
  lease_expiry: number | null;
  lease_until: number | null;
  cancel_mode: CancelMode | null;
  cancel_reason: string | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  completed_at: number | null;
  stage: string | null;
  message: string | null;
  correlation_id: string | null;
  trace_id: string | null;
  requested_by: string | null;
  parent_job_id: Bytes | null;
  document_id: string | null;
  job_limit_key: string | null;
  parent_kind: ParentKind | null;
  error: string | null;
  metadata: string | null;
  checkpoint: string | null;
  result: string | null;
  input: string;
}

/** A row of `JOB_COLUMNS` that came as a list; written out, so that all rows are of one shape. */
export function jobRowOf(values: readonly SQLOutputValue[]): JobRow {
  return {
    seq: values[0],
    hex: values[1],
    tenant_id: values[2],
    lifecycle: values[3],
    policy: values[4],
    type: values[5],
    queue: values[6],
    state: values[7],
    phase: values[8],
    epoch: values[9],
    version: values[10],
    gate: values[11],
    limit_key: values[12],
    user_key: values[13],
    organisation_key: values[14],
    priority: values[15],
    run_at: values[16],
    deadline_at: values[17],
    attempts: values[18],
    max_attempts: values[19],
    retry_count: values[20],
    backoff_ms: values[21],
    progress: values[22],
    notes: values[23],
    lease_owner: values[24],
    lease_expiry: values[25],
    lease_until: values[26],
    cancel_mode: values[27],
    cancel_reason: values[28],
    created_at: values[29],
    updated_at: values[30],
    started_at: values[31],
    completed_at: values[32],
    stage: values[33],
    message: values[34],
    correlation_id: values[35],
    trace_id: values[36],
    requested_by: values[37],
    parent_job_id: values[38],
    document_id: values[39],
    job_limit_key: values[40],
    parent_kind: values[41],
    error: values[42],
    metadata: values[43],
    checkpoint: values[44],
    result: values[45],
    input: values[46],
  } as JobRow;
}

export function jobOfRow(registry: Registry, row: JobRow): Job {
  const lifecycle = registry.lifecycleById(row.lifecycle);
  return {
    tenant: registry.tenantName(row.tenant_id),
    id: uuidOfHex(row.hex),
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
    cancel: cancelOfRow(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    error: row.error === null ? null : (JSON.parse(row.error) as JobError),
    input: row.input,
    result: row.result,
    checkpoint: row.checkpoint,
    metadata: row.metadata,
    correlationId: row.correlation_id,
    traceId: row.trace_id,
    requestedBy: row.requested_by,
    limitKey: row.job_limit_key,
    parentJobId: row.parent_job_id === null ? null : uuidOfBytes(row.parent_job_id),
    parentKind: row.parent_kind,
    documentId: row.document_id,
  };
}

export function cancelOfRow(row: {
  cancel_mode: CancelMode | null;
  cancel_reason: string | null;
}): CancelWish | null {
  return row.cancel_mode === null ? null : { mode: row.cancel_mode, reason: row.cancel_reason };
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function uuidOfBytes(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += '-';
    text += HEX[bytes[index]!]!;
  }
  return text;
}

function uuidOfHex(hex: string): string {
  const [time, middle] = [hex.slice(0, 8), hex.slice(8, 12)];
  return `${time}-${middle}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The stored form of an id that is looked for; null where no stored id can be equal to it. */
export function bytesToFind(id: string): Uint8Array | null {
  return isUuid(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : null;
}

/** The stored form of an id that is written. */
export function bytesToStore(id: string): Uint8Array {
  const bytes = bytesToFind(id);
  if (bytes === null) throw new StoreError('refused', `"${id}" is no UUID in lower case`);
  return bytes;
}
