import type { SQLOutputValue } from 'node:sqlite';
import { isUuid } from '../../core/uuid.ts';
import {
  type AwaitedBy,
  type CancelMode,
  type CancelWish,
  type Job,
  type JobError,
  type JsonText,
  PARENT_KINDS,
  type ParentKind,
} from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { StoreError } from '../store-error.ts';
import type { Names } from './names.ts';

/** A row as node:sqlite gives it. */
export type Row = Record<string, SQLOutputValue>;

/** A row of `live`. */
export type LiveRow = Row &
  Record<
    'key' | 'lane' | 'policy' | 'lifecycle' | 'state' | 'phase' | 'epoch' | 'version',
    number
  > &
  Record<'notes' | 'flags' | 'attempts' | 'retry_count' | 'priority' | 'progress', number> &
  Record<'rank_at' | 'run_at' | 'updated_at', number> &
  Record<'gate' | 'started_at' | 'deadline_at' | 'backoff_ms' | 'cancel_mode', number | null> &
  Record<'owner' | 'token' | 'lease_expiry' | 'lease_end' | 'lease_limit', number | null> &
  Record<'born_n' | 'claim_n', number | null> &
  Record<'more_n', string | null>;

/** Some of a row's values, to be bound. */
export function valuesIn(row: Readonly<Row>, names: readonly string[]): SQLOutputValue[] {
  return names.map((name) => row[name]!);
}

/** What the view `job` has, in its order: jobs are read as lists, which is faster than objects. */
export const COLUMNS = [
  'key',
  'hex',
  'tenant',
  'lane',
  'policy',
  'lifecycle',
  'state',
  'phase',
  'epoch',
  'version',
  'notes',
  'gate',
  'flags',
  'priority',
  'run_at',
  'deadline_at',
  'attempts',
  'retry_count',
  'backoff_ms',
  'progress',
  'stage',
  'message',
  'owner',
  'token',
  'lease_expiry',
  'lease_end',
  'lease_limit',
  'cancel_mode',
  'cancel_reason',
  'created_at',
  'updated_at',
  'started_at',
  'completed_at',
  'error',
  'input',
  'result',
  'checkpoint',
  'metadata',
  'correlation_id',
  'trace_id',
  'requested_by',
  'limit_key',
  'parent_job_id',
  'parent_kind',
  'document_id',
  'awaited_by',
  'rank_at',
  'born_n',
  'claim_n',
  'end_n',
  'more_n',
] as const;

type Column = (typeof COLUMNS)[number];

/** Where a column stands in a row. */
export const C = Object.fromEntries(COLUMNS.map((name, at) => [name, at])) as Readonly<
  Record<Column, number>
>;

/** A row of the view `job`, as the list of its values. */
export type JobRow = SQLOutputValue[];

export const FLAG = { keys: 2, details: 4, stages: 8, positions: 16 } as const;

const MODES: readonly CancelMode[] = ['soft', 'hard'];

export function modeCode(mode: CancelMode): number {
  return MODES.indexOf(mode) + 1;
}

export function cancelOf(mode: number | null, reason: string | null): CancelWish | null {
  return mode === null ? null : { mode: MODES[mode - 1]!, reason };
}

export function parentCode(kind: ParentKind | null): number | null {
  return kind === null ? null : PARENT_KINDS.indexOf(kind) + 1;
}

export function jobOf(names: Names, row: JobRow): Job {
  const lifecycle = names.lifecycleOf(row[C.lifecycle] as number);
  const lane = names.laneOf(row[C.lane] as number);
  const policy = row[C.policy] as number;
  const owner = row[C.owner] as number | null;
  const error = row[C.error] as JsonText | null;
  const parent = row[C.parent_job_id] as Uint8Array | null;
  const parentKind = row[C.parent_kind] as number | null;
  const awaited = row[C.awaited_by] as JsonText | null;
  return {
    tenant: names.tenantName(lane.tenant),
    id: uuidOfHex(row[C.hex] as string),
    type: lane.type,
    queue: lane.queue,
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy,
    state: lifecycle.states[(row[C.state] as number) - 1]!,
    phase: phaseOfRank(row[C.phase] as number),
    epoch: row[C.epoch] as number,
    version: row[C.version] as number,
    priority: row[C.priority] as number,
    runAt: row[C.run_at] as number,
    deadlineAt: row[C.deadline_at] as number | null,
    attempts: row[C.attempts] as number,
    maxAttempts: names.policy(policy).retry.maxAttempts,
    retryCount: row[C.retry_count] as number,
    backoffMs: row[C.backoff_ms] as number | null,
    progress: row[C.progress] as number,
    stage: row[C.stage] as string | null,
    message: row[C.message] as string | null,
    owner: owner === null ? null : names.ownerName(owner),
    leaseExpiry: row[C.lease_expiry] as number | null,
    cancel: cancelOf(row[C.cancel_mode] as number | null, row[C.cancel_reason] as string | null),
    createdAt: row[C.created_at] as number,
    updatedAt: row[C.updated_at] as number,
    startedAt: row[C.started_at] as number | null,
    completedAt: row[C.completed_at] as number | null,
    error: error === null ? null : (JSON.parse(error) as JobError),
    input: row[C.input] as JsonText,
    result: row[C.result] as JsonText | null,
    checkpoint: row[C.checkpoint] as JsonText | null,
    metadata: row[C.metadata] as JsonText | null,
    correlationId: row[C.correlation_id] as string | null,
    traceId: row[C.trace_id] as string | null,
    requestedBy: row[C.requested_by] as string | null,
    limitKey: row[C.limit_key] as string | null,
    parentJobId: parent === null ? null : uuidOfBytes(parent),
    parentKind: parentKind === null ? null : PARENT_KINDS[parentKind - 1]!,
    documentId: row[C.document_id] as string | null,
    awaitedBy: awaited === null ? null : (JSON.parse(awaited) as AwaitedBy),
  };
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

export function uuidOfHex(hex: string): string {
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
