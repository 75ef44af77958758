// Claimed jobs as they travel: each says only where it differs from its head.
import type { Instant } from '../../core/clock.ts';
import type { Job, JsonText } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { cancelOf, errorOf, type JobRow, type Names } from './row.ts';

/** The columns of a function that returns jobs with heads. */
export const BRIEF_FIELDS = `id uuid, epoch int, version int, priority int, run_at int8,
  deadline_at int8, attempts int, max_attempts int, retry_count int, backoff_ms int8,
  progress double precision, stage text, message text, lease_expiry int8, cancel_mode text,
  cancel_reason text, created_at int8, updated_at int8, started_at int8, completed_at int8,
  error json, input json, result json, checkpoint json, metadata json, correlation_id text,
  trace_id text, requested_by text, parent_job_id uuid, document_id text, job_limit_key text,
  parent_kind text, stages json, head int, common json`;

const STAGES_AT = 32;
const HEAD_AT = 33;
const COMMON_AT = 34;

/** What many claimed jobs have in common, in the order in which the claim says it. */
type Common = readonly [
  tenant: number,
  type: string,
  queue: string,
  lifecycle: number,
  policy: number,
  state: string,
  phase: number,
  owner: string,
  at: Instant,
  maxAttempts: number,
  runAt: Instant,
  leaseExpiry: Instant,
  startedAt: Instant | null,
];

/** A head in words, and what its jobs have that do not say otherwise. */
export interface Head {
  readonly tenant: string;
  readonly lifecycle: { readonly name: string; readonly version: number };
  readonly phase: Job['phase'];
  readonly common: Common;
}

/** What the heads of these rows hold as numbers and names are needed for. */
export function namesInHeads(
  rows: readonly (readonly unknown[])[],
): Pick<JobRow, 'tenant_id' | 'lifecycle'>[] {
  return commonIn(rows).map(([, [tenant_id, , , lifecycle]]) => ({ tenant_id, lifecycle }));
}

export function headsOf(
  rows: readonly (readonly unknown[])[],
  names: Names,
): ReadonlyMap<number, Head> {
  return new Map(
    commonIn(rows).map(([number, common]) => {
      const lifecycle = names.lifecycle(common[3]);
      const phase = phaseOfRank(common[6]);
      return [number, { tenant: names.tenant(common[0]), lifecycle, phase, common }];
    }),
  );
}

function commonIn(rows: readonly (readonly unknown[])[]): [number, Common][] {
  const heads: [number, Common][] = [];
  for (const row of rows) {
    const common = row[COMMON_AT] as JsonText | null;
    if (common !== null) heads.push([row[HEAD_AT] as number, JSON.parse(common) as Common]);
  }
  return heads;
}

export function headOf(row: readonly unknown[], heads: ReadonlyMap<number, Head>): Head {
  return heads.get(row[HEAD_AT] as number)!;
}

export function stagesIn(row: readonly unknown[]): JsonText | null {
  return row[STAGES_AT] as JsonText | null;
}

/** A job of which each value is found by its place in BRIEF_FIELDS, or with its head. */
export function jobOfBrief(row: readonly unknown[], head: Head): Job {
  const { common } = head;
  const runAt = (row[4] as JobRow['run_at'] | null) ?? common[10];
  return {
    tenant: head.tenant,
    id: row[0] as JobRow['id'],
    type: common[1],
    queue: common[2],
    lifecycle: head.lifecycle.name,
    lifecycleVersion: head.lifecycle.version,
    policy: common[4],
    state: common[5],
    phase: head.phase,
    epoch: (row[1] as JobRow['epoch'] | null) ?? 1,
    version: (row[2] as JobRow['version'] | null) ?? 2,
    priority: (row[3] as JobRow['priority'] | null) ?? 0,
    runAt,
    deadlineAt: row[5] as JobRow['deadline_at'],
    attempts: (row[6] as JobRow['attempts'] | null) ?? 1,
    maxAttempts: (row[7] as JobRow['max_attempts'] | null) ?? common[9],
    retryCount: (row[8] as JobRow['retry_count'] | null) ?? 0,
    backoffMs: row[9] as JobRow['backoff_ms'],
    progress: (row[10] as JobRow['progress'] | null) ?? 0,
    stage: row[11] as JobRow['stage'],
    message: row[12] as JobRow['message'],
    owner: common[7],
    leaseExpiry: (row[13] as JobRow['lease_expiry']) ?? common[11],
    cancel: cancelOf(row[14] as JobRow['cancel_mode'], row[15] as JobRow['cancel_reason']),
    createdAt: (row[16] as JobRow['created_at'] | null) ?? common[10],
    updatedAt: (row[17] as JobRow['updated_at'] | null) ?? common[8],
    startedAt: (row[18] as JobRow['started_at']) ?? common[12],
    completedAt: row[19] as JobRow['completed_at'],
    error: errorOf(row[20] as JobRow['error']),
    input: row[21] as JobRow['input'],
    result: row[22] as JobRow['result'],
    checkpoint: row[23] as JobRow['checkpoint'],
    metadata: row[24] as JobRow['metadata'],
    correlationId: row[25] as JobRow['correlation_id'],
    traceId: row[26] as JobRow['trace_id'],
    requestedBy: row[27] as JobRow['requested_by'],
    limitKey: row[30] as JobRow['job_limit_key'],
    parentJobId: row[28] as JobRow['parent_job_id'],
    parentKind: row[31] as JobRow['parent_kind'],
    documentId: row[29] as JobRow['document_id'],
  };
}
