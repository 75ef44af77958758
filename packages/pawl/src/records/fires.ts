import type { Instant } from '../core/clock.ts';
import type { InsertOutcome, NewJob } from '../store/insert.ts';
import {
  outcomeMark,
  type RecordKind,
  type RecordOp,
  type StoredRecord,
} from '../store/records.ts';

/** Names a schedule: names are unique within a tenant. */
export interface ScheduleRef {
  readonly tenant: string;
  readonly name: string;
}

/** What happens to a slot, or to several in a row that are left out. */
export type FireEntry =
  | { readonly kind: 'job'; readonly slot: Instant; readonly job: NewJob }
  | { readonly kind: 'skipped'; readonly slot: Instant; readonly through: Instant }
  | { readonly kind: 'refused'; readonly slot: Instant; readonly reason: string };

/**
 * In one transaction: the jobs are inserted as by `insert`, each entry is written to the history,
 * and the schedule moves on: version + 1, nextAt as given, lastSlot to the latest slot of the
 * entries, updatedAt = now. All that only if the schedule is there under this id and, unless
 * `expected` is null (a run by hand, which moves nothing), not paused and at that version and slot.
 */
export interface Fire extends ScheduleRef {
  readonly id: string;
  readonly expected: { readonly version: number; readonly slot: Instant } | null;
  readonly nextAt: Instant | null;
  readonly entries: readonly FireEntry[];
}

/**
 * `created`: the job is new. `joined`: an existing job stands for it, `reason` says how
 * (the kind of the insert's outcome). `refused`, `skipped`: there is no job.
 */
export type FireResult = 'created' | 'joined' | 'refused' | 'skipped';

/** A line of a schedule's history. */
export interface FireRecord extends ScheduleRef {
  /** Rises from line to line. */
  readonly n: number;
  readonly slot: Instant;
  /** The last of several slots that were skipped together; else the slot itself. */
  readonly through: Instant;
  readonly at: Instant;
  readonly isManual: boolean;
  readonly result: FireResult;
  readonly jobId: string | null;
  readonly reason: string | null;
}

/** `missed`: somebody else has fired, changed or removed the schedule; nothing was written. */
export type FireOutcome =
  | { readonly kind: 'fired'; readonly records: readonly FireRecord[] }
  | { readonly kind: 'missed' };

/** The latest first. */
export interface FireQuery extends ScheduleRef {
  readonly limit: number;
  readonly before?: number;
}

/** Due since its creation, so that retention finds it. */
export const FIRE: RecordKind = { name: 'schedule-fire' };

/** An outcome does not include the id of a created job, so the line keeps it. */
interface Body {
  readonly isManual: boolean;
  readonly entry:
    | Exclude<FireEntry, { kind: 'job' }>
    | { readonly kind: 'job'; readonly slot: Instant; readonly jobId: string };
  readonly outcome: { readonly kind: InsertOutcome['kind']; readonly id?: string } | null;
}

const DIGITS = 16;

/** The schedule's id and the zero-padded number, so that ids sort by number. */
function idOf(scheduleId: string, n: number): string {
  return `${scheduleId}/${String(n).padStart(DIGITS, '0')}`;
}

/** The id range of a schedule's lines, up to `before`. `0` is the character after `/`. */
export function fireRange(
  scheduleId: string,
  before?: number,
): { readonly after: string; readonly before: string } {
  const end = before === undefined ? `${scheduleId}0` : idOf(scheduleId, before);
  return { after: `${scheduleId}/`, before: end };
}

/** The op that writes a line; `job` is the index of its job in the same insert. */
export function fireOp(
  { tenant, id, expected }: Fire,
  entry: FireEntry,
  { n, job }: { n: number; job: number | null },
): RecordOp {
  const { kind, slot } = entry;
  const body = {
    isManual: expected === null,
    entry: kind === 'job' ? { kind, slot, jobId: entry.job.id } : entry,
    outcome: job === null ? null : outcomeMark(job),
  };
  return {
    op: 'put',
    kind: FIRE,
    tenant,
    id: idOf(id, n),
    body: JSON.stringify(body),
    dueInMs: 0,
    expected: 'absent',
  };
}

export function fireOf({ tenant, id, body, createdAt }: StoredRecord, name: string): FireRecord {
  const { isManual, entry, outcome } = JSON.parse(body) as Body;
  const n = Number(id.slice(-DIGITS));
  return { tenant, name, n, at: createdAt, isManual, ...resultOf(entry, outcome) };
}

/** The history's view of an entry, given the outcome of its job. */
export function resultOf(
  entry: FireEntry | Body['entry'],
  outcome: Body['outcome'],
): Pick<FireRecord, 'slot' | 'through' | 'result' | 'jobId' | 'reason'> {
  const { slot } = entry;
  if (entry.kind === 'skipped') {
    return { slot, through: entry.through, result: 'skipped', jobId: null, reason: null };
  }
  if (entry.kind === 'refused' || outcome === null) {
    const reason = entry.kind === 'refused' ? entry.reason : null;
    return { slot, through: slot, result: 'refused', jobId: null, reason };
  }
  if (outcome.kind === 'created') {
    const jobId = 'job' in entry ? entry.job.id : entry.jobId;
    return { slot, through: slot, result: 'created', jobId, reason: null };
  }
  const result = JOINS.includes(outcome.kind) ? 'joined' : 'refused';
  return { slot, through: slot, result, jobId: outcome.id ?? null, reason: outcome.kind };
}

const JOINS: readonly string[] = ['replayed', 'exists', 'throttled', 'debounced', 'replaced'];

/** The latest slot that a fire has dealt with. */
export function lastSlotOf(entries: readonly FireEntry[]): Instant {
  return Math.max(
    ...entries.map((entry) => (entry.kind === 'skipped' ? entry.through : entry.slot)),
  );
}
