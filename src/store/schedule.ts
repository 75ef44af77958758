import type { Instant } from '../core/clock.ts';
import type { Job, JsonText } from '../core/job.ts';
import type { Place } from '../core/lifecycle.ts';
import type { InsertOutcome, NewJob } from './insert.ts';

/** Names a schedule: names are unique within a tenant. */
export interface ScheduleRef {
  readonly tenant: string;
  readonly name: string;
}

/** A rule that creates jobs in time, as it is stored. */
export interface Schedule extends ScheduleRef {
  /** Another one after the schedule was removed and made again. */
  readonly id: string;
  /** Rises with every change, a fire included: what compare and set goes by. */
  readonly version: number;
  /** The rule, the job and the policy: the store does not look inside. */
  readonly definition: JsonText;
  readonly isPaused: boolean;
  /** The slot to be fired next; null while paused, or when there is none any more. */
  readonly nextAt: Instant | null;
  /** The latest slot that was fired or skipped. */
  readonly lastSlot: Instant | null;
  readonly createdBy: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Makes a schedule (`expected` null: there is none of that name) or changes one. */
export interface SchedulePut extends ScheduleRef {
  readonly expected: number | null;
  /** Of a new one; a changed one keeps its id, createdBy and createdAt. */
  readonly id: string;
  readonly createdBy: string | null;
  readonly definition: JsonText;
  readonly isPaused: boolean;
  readonly nextAt: Instant | null;
}

/** `missed`: the schedule is not at the expected version; who wants to go on reads it. */
export type SchedulePutOutcome =
  | { readonly kind: 'put'; readonly schedule: Schedule }
  | { readonly kind: 'missed' };

/** In the order of names. */
export interface ScheduleQuery {
  readonly tenant: string;
  readonly limit: number;
  readonly name?: string;
  readonly after?: string;
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

/** A place in one version of a lifecycle. */
export interface LifecyclePlace extends Place {
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
}

/** The verbs of time. */
export interface TimeVerbs {
  putSchedule(put: SchedulePut): Promise<SchedulePutOutcome>;
  /** Takes the schedule and its history away; its jobs stay. False: there was none. */
  removeSchedule(ref: ScheduleRef): Promise<boolean>;
  schedules(query: ScheduleQuery): Promise<Schedule[]>;
  /** Those whose next slot has come by the database's clock, the longest due first. */
  dueSchedules(limit: number): Promise<Schedule[]>;
  fire(fire: Fire): Promise<FireOutcome>;
  fires(query: FireQuery): Promise<FireRecord[]>;
  /** Jobs in one of these places, not ended, whose deadlineAt has come; the longest ago first. */
  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]>;
}

/** What the history says of an entry, given what became of its job. */
export function resultOf(
  entry: FireEntry,
  outcome: InsertOutcome | null,
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
    return { slot, through: slot, result: 'created', jobId: entry.job.id, reason: null };
  }
  const jobId = 'id' in outcome ? outcome.id : null;
  const result = JOINS.includes(outcome.kind) ? 'joined' : 'refused';
  return { slot, through: slot, result, jobId, reason: outcome.kind };
}

const JOINS: readonly string[] = ['replayed', 'exists', 'throttled', 'debounced', 'replaced'];

/** The latest slot that a fire has dealt with. */
export function lastSlotOf(entries: readonly FireEntry[]): Instant {
  return Math.max(
    ...entries.map((entry) => (entry.kind === 'skipped' ? entry.through : entry.slot)),
  );
}
