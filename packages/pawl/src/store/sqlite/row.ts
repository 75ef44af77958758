import type { SQLOutputValue } from 'node:sqlite';
import type { CancelMode, CancelWish, Job, JobError, JsonText } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { LABEL_COLUMNS, labelsOf } from './labels.ts';
import type { Names } from './names.ts';
import { uuidOfHex } from './uuid-bytes.ts';

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
  Record<'more_n' | 'revision', string | null>;

/** Some of a row's values, to be bound. */
export function valuesIn(row: Readonly<Row>, names: readonly string[]): SQLOutputValue[] {
  return names.map((name) => row[name]!);
}

export const FLAG = { keys: 2, details: 4, stages: 8, positions: 16, pinned: 32 } as const;

/** What the view `job` reads each of its columns from: facts, live, ended, details. */
const SOURCES = {
  key: 'f.key',
  hex: 'lower(hex(f.id))',
  tenant: 'f.tenant',
  lane: 'f.lane',
  policy: 'f.policy',
  lifecycle: 'f.lifecycle',
  state: 'coalesce(l.state, e.state)',
  phase: 'coalesce(l.phase, e.phase)',
  epoch: 'coalesce(l.epoch, e.epoch)',
  version: `coalesce(l.version, (SELECT max(a.version) FROM annotations a WHERE a.key = e.key),
    e.version)`,
  notes: 'l.notes',
  gate: 'l.gate',
  flags: 'coalesce(l.flags, e.flags)',
  priority: 'f.priority',
  run_at: 'coalesce(l.run_at, e.run_at)',
  deadline_at: 'f.deadline_at',
  attempts: 'coalesce(l.attempts, e.attempts)',
  retry_count: 'coalesce(l.retry_count, e.retry_count)',
  backoff_ms: 'coalesce(l.backoff_ms, e.backoff_ms)',
  revision: 'coalesce(l.revision, e.revision)',
  progress: 'coalesce(l.progress, e.progress)',
  stage: 'd.stage',
  message: 'd.message',
  owner: 'l.owner',
  token: 'l.token',
  lease_expiry: 'l.lease_expiry',
  lease_end: 'l.lease_end',
  lease_limit: 'l.lease_limit',
  cancel_mode: 'l.cancel_mode',
  cancel_reason: 'd.cancel_reason',
  created_at: 'f.created_at',
  updated_at: `coalesce(l.updated_at, (SELECT max(a.at) FROM annotations a WHERE a.key = e.key),
    e.completed_at)`,
  started_at: 'coalesce(l.started_at, e.started_at)',
  completed_at: 'e.completed_at',
  error: 'd.error',
  input: 'coalesce(d.input, f.input)',
  result: 'e.result',
  checkpoint: 'd.checkpoint',
  metadata: 'f.metadata',
  rank_at: 'l.rank_at',
  born_n: 'coalesce(l.born_n, e.born_n)',
  claim_n: 'coalesce(l.claim_n, e.claim_n)',
  end_n: 'e.end_n',
  more_n: 'coalesce(l.more_n, e.more_n)',
} as const;

type Column = keyof typeof SOURCES;

const OWN_COLUMNS = Object.keys(SOURCES) as readonly Column[];

/** The columns of the view, in its order: jobs are read as lists, which is faster than objects. */
export const COLUMNS: readonly string[] = [...OWN_COLUMNS, ...LABEL_COLUMNS];

/** Where a column stands in a row. */
export const C = Object.fromEntries(OWN_COLUMNS.map((name, at) => [name, at])) as Readonly<
  Record<Column, number>
>;

/**
 * A job as the verbs read it, wherever it stands: made anew by every connection. The last line is
 * for conditions alone. A key of null ends a look-up before it begins: who is live is not looked
 * for among the ended, and who has no details not among these.
 */
export const JOB_VIEW = `CREATE TEMP VIEW job AS
  SELECT ${OWN_COLUMNS.map((name) => `${SOURCES[name]} AS ${name}`).join(', ')},
    ${LABEL_COLUMNS.map((name) => `f.${name} AS ${name}`).join(', ')},
    f.id AS id, l.key AS live_key, l.lane AS live_lane, l.phase AS live_phase
  FROM facts f LEFT JOIN live l ON l.key = f.key
  LEFT JOIN ended e ON e.key = CASE WHEN l.key IS NULL THEN f.key END
  LEFT JOIN details d
    ON d.key = CASE WHEN coalesce(l.flags, e.flags) & ${FLAG.details} THEN f.key END`;

/** A row of the view `job`, as the list of its values. */
export type JobRow = SQLOutputValue[];

const MODES: readonly CancelMode[] = ['soft', 'hard'];

export function modeCode(mode: CancelMode): number {
  return MODES.indexOf(mode) + 1;
}

export function cancelOf(mode: number | null, reason: string | null): CancelWish | null {
  return mode === null ? null : { mode: MODES[mode - 1]!, reason };
}

export function jobOf(names: Names, row: JobRow): Job {
  const lifecycle = names.lifecycleOf(row[C.lifecycle] as number);
  const lane = names.laneOf(row[C.lane] as number);
  const policy = row[C.policy] as number;
  const owner = row[C.owner] as number | null;
  const error = row[C.error] as JsonText | null;
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
    revision: row[C.revision] as string | null,
    isPinned: ((row[C.flags] as number) & FLAG.pinned) > 0,
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
    ...labelsOf(row, OWN_COLUMNS.length),
  };
}
