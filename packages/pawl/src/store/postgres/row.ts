import { EVENT_TYPES, type JobEvent, NOTE_TYPES } from '../../core/event.ts';
import type { CancelMode, CancelWish, Job, JobError, JsonText } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { fieldsOf } from './composite.ts';
import type { Dictionary } from './dictionary.ts';
import { labelsOf } from './labels.ts';

/** A job as `read_jobs` and its kin answer with it: what is short in one column. */
export interface JobRow {
  readonly job: string;
  readonly error: JsonText | null;
  readonly input: JsonText;
  readonly result: JsonText | null;
  readonly checkpoint: JsonText | null;
  readonly metadata: JsonText | null;
}

/** The short part, by the database's names; see `job_part`. */
interface JobPart {
  readonly id: string;
  readonly tenant: number;
  readonly lane: number;
  readonly policy: number;
  readonly lifecycle: number;
  readonly fields: readonly (string | null)[];
}

function partOf(text: string): JobPart {
  const fields = fieldsOf(text);
  const [id, tenant, lane, policy, lifecycle] = fields;
  return {
    id: id!,
    tenant: Number(tenant),
    lane: Number(lane),
    policy: Number(policy),
    lifecycle: Number(lifecycle),
    fields,
  };
}

function numberIn(text: string | null): number | null {
  return text === null ? null : Number(text);
}

const MODES: readonly CancelMode[] = ['soft', 'hard'];

export function modeCode(mode: CancelMode): number {
  return MODES.indexOf(mode) + 1;
}

export function cancelOf(mode: number | null, reason: string | null): CancelWish | null {
  return mode === null ? null : { mode: MODES[mode - 1]!, reason };
}

export function errorOf(text: JsonText | null): JobError | null {
  return text === null ? null : (JSON.parse(text) as JobError);
}

/** The fields after the five that a part names, in the order of `job_part`. */
function jobOf(row: JobRow, { id, tenant, policy, ...part }: JobPart, names: Dictionary): Job {
  const lifecycle = names.lifecycleOf(part.lifecycle);
  const lane = names.laneOf(part.lane);
  const [state, phase, epoch, version, priority, runAt, deadlineAt, attempts, ...rest] =
    part.fields.slice(5);
  const [retryCount, backoffMs, revision, isPinned, progress, stage, message, ...more] = rest;
  const [owner, leaseExpiry, ...later] = more;
  const [cancelMode, cancelReason, createdAt, updatedAt, startedAt, completedAt, labels] = later;
  return {
    tenant: names.tenantName(tenant),
    id,
    type: lane.type,
    queue: lane.queue,
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy,
    state: lifecycle.states[Number(state) - 1]!,
    phase: phaseOfRank(Number(phase)),
    epoch: Number(epoch),
    version: Number(version),
    priority: Number(priority),
    runAt: Number(runAt),
    deadlineAt: numberIn(deadlineAt!),
    attempts: Number(attempts),
    maxAttempts: names.policy(policy).retry.maxAttempts,
    retryCount: Number(retryCount),
    backoffMs: numberIn(backoffMs!),
    revision: revision!,
    isPinned: isPinned === 't',
    progress: Number(progress),
    stage: stage!,
    message: message!,
    owner: owner!,
    leaseExpiry: numberIn(leaseExpiry!),
    cancel: cancelOf(numberIn(cancelMode!), cancelReason!),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    startedAt: numberIn(startedAt!),
    completedAt: numberIn(completedAt!),
    error: errorOf(row.error),
    input: row.input,
    result: row.result,
    checkpoint: row.checkpoint,
    metadata: row.metadata,
    ...labelsOf(labels!),
  };
}

/** Rows in words. */
export async function toJobs(rows: readonly JobRow[], names: Dictionary): Promise<Job[]> {
  const parts = rows.map(({ job }) => partOf(job));
  await names.learn(parts);
  return rows.map((row, index) => jobOf(row, parts[index]!, names));
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
