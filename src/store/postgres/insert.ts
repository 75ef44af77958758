import type { Instant } from '../../core/clock.ts';
import type { InsertOutcome, NewJob } from '../insert.ts';
import { isMissingPartition, isUniqueViolation, isUnknownName } from './failure.ts';
import { headOf, type JobSet, labelsOf, listsOf, type Numbered, partsOf } from './insert-sets.ts';
import { readBounds } from './purge.ts';
import { lockWaitMs, type Session } from './session.ts';

export interface OutcomeRow {
  readonly ord: number | null;
  readonly kind: InsertOutcome['kind'];
  readonly id: string | null;
  readonly at: number;
}

const NONE: ReadonlyMap<NewJob, number> = new Map();

/** Writes new jobs: those with nothing in their way as sets, the others one after the other. */
export async function insertJobs(
  session: Session,
  jobs: readonly NewJob[],
  isPatient: boolean,
): Promise<InsertOutcome[]> {
  try {
    return await insertOnce(session, jobs, isPatient);
  } catch (error) {
    if (isMissingPartition(error)) await readBounds(session);
    else if (isUnknownName(error)) {
      // A failover may have lost what this process remembers.
      session.names.forget();
      await session.names.prepare(jobs);
    } else throw error;
    return insertOnce(session, jobs, isPatient);
  }
}

async function insertOnce(
  session: Session,
  jobs: readonly NewJob[],
  isPatient: boolean,
): Promise<InsertOutcome[]> {
  const { sets, rest } = partsOf(session, jobs);
  const only = sets.length === 1 && rest.length === 0 ? sets[0]! : null;
  try {
    if (only !== null) return await insertSet(session, only, jobs);
    const ords = new Map(jobs.map((job, ord) => [job, ord]));
    const waitMs = lockWaitMs(isPatient);
    const values = wireOf(session, { sets, rest, ords, isLate: false, waitMs });
    const rows = await session.database.verb<OutcomeRow>('insert_jobs', values);
    return outcomesOf(jobs, rows);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Somebody has taken an id of a set: one after the other it is known which.
    const all = jobs.map((job, ord) => ({ job, ord }));
    const waitMs = lockWaitMs(true);
    const values = wireOf(session, { sets: [], rest: all, ords: NONE, isLate: false, waitMs });
    return outcomesOf(jobs, await session.database.verb<OutcomeRow>('insert_jobs', values));
  }
}

/**
 * A call as a statement of somebody's transaction. With sets it fails where an id is taken, and the
 * transaction with it; without, it looks at one job after the other.
 */
export function insertCall(
  session: Session,
  jobs: readonly NewJob[],
  { now, hasSets }: { now: Instant; hasSets: boolean },
): { sql: string; values: unknown[] } {
  const ords = new Map(jobs.map((job, ord) => [job, ord]));
  const alone = { sets: [], rest: jobs.map((job, ord) => ({ job, ord })) };
  const parts = hasSets ? partsOf(session, jobs) : alone;
  const waitMs = lockWaitMs(true);
  const values = wireOf(session, { ...parts, ords, isLate: false, waitMs });
  values[values.length - 1] = now;
  return { sql: session.database.call('insert_jobs', values.length), values };
}

/** Types of which there is something to claim once these are written. */
export function claimableOf(jobs: readonly NewJob[]): string[] {
  const isDue = ({ places, runAt, unique }: NewJob): boolean =>
    places.at(-1)!.phase === 'ready' && runAt === null && unique?.mode !== 'debounce';
  return [...new Set(jobs.filter(isDue).map(({ type }) => type))];
}

<<<<<<< HEAD
=======
/** Jobs that differ in nothing but what is their own. */
interface JobSet {
  readonly common: string;
  readonly jobs: NewJob[];
}

export function setsOf(session: Session, jobs: readonly NewJob[]): JobSet[] {
  const sets = new Map<string, JobSet>();
  let last: { readonly job: NewJob; readonly set: JobSet } | null = null;
  for (const job of jobs) {
    if (last !== null && isLike(session, last.job, job)) {
      last.set.jobs.push(job);
      continue;
    }
    const common = commonOf(session, job);
    const set = sets.get(common) ?? { common, jobs: [] };
    sets.set(common, set);
    set.jobs.push(job);
    last = { job, set };
  }
  return [...sets.values()];
}

/** What a set says once. */
const COMMON = [
  'tenant',
  'type',
  'queue',
  'lifecycle',
  'lifecycleVersion',
  'policy',
  'priority',
  'runAt',
  'deadlineAt',
  'actor',
] as const satisfies readonly (keyof NewJob)[];

function isLike(session: Session, one: NewJob, other: NewJob): boolean {
  for (const name of COMMON) if (one[name] !== other[name]) return false;
  const [place, last] = [one.places.at(-1)!, other.places.at(-1)!];
  return (
    one.places.length === other.places.length &&
    place.state === last.state &&
    place.phase === last.phase &&
    session.isOther(one.id) === session.isOther(other.id)
  );
}

function commonOf(session: Session, job: NewJob): string {
  return JSON.stringify({ ...headOf(session, job), version: job.places.length });
}

function headOf(session: Session, job: NewJob): Record<string, unknown> {
  const { names } = session;
  const lifecycle = names.lifecycle(job);
  const [first, last] = [job.places[0]!, job.places.at(-1)!];
  return {
    is_other: session.isOther(job.id),
    tenant: names.tenant(job.tenant),
    lane: names.lane(job),
    lifecycle: lifecycle.number,
    policy: job.policy,
    state: placeCode(lifecycle, last),
    phase: rankOf(last.phase),
    via_state: job.places.length > 1 ? placeCode(lifecycle, first) : undefined,
    priority: job.priority,
    run_at: job.runAt ?? undefined,
    deadline_at: job.deadlineAt ?? undefined,
    actor: job.actor,
  };
}

/** True of a job that nothing but a taken id can stand in the way of. */
export function isFree(session: Session, job: NewJob): boolean {
  return (
    job.idempotency === null && job.unique === undefined && !session.names.isLimited(job.policy)
  );
}

export function hasRepeats(jobs: readonly NewJob[]): boolean {
  if (jobs.length === 1) return false;
  const keys = jobs.flatMap(keysOfJob);
  return new Set(keys).size < keys.length;
}

/** What a job of a set may have of its own; null where none has anything. */
function ownOf(jobs: readonly NewJob[]): string | null {
  const own = jobs.flatMap((job, index) => {
    const said = labelsOf(job);
    return Object.values(said).some((value) => value !== undefined)
      ? [{ ...said, ord: index + 1 }]
      : [];
  });
  return own.length === 0 ? null : JSON.stringify(own);
}

function labelsOf(job: NewJob): Record<string, unknown> {
  return {
    metadata: job.metadata ?? undefined,
    correlation_id: job.correlationId ?? undefined,
    trace_id: job.traceId ?? undefined,
    requested_by: job.requestedBy ?? undefined,
    limit_key: job.limitKey ?? undefined,
    parent_kind: job.parentKind === null ? undefined : parentCode(job.parentKind),
    parent_job_id: job.parentJobId ?? undefined,
    document_id: job.documentId ?? undefined,
  };
}

function listsOf({ common, jobs }: JobSet): [string, string, string, string | null] {
  return [
    common,
    `{${jobs.map(({ id }) => id).join(',')}}`,
    `[${jobs.map(({ input }) => input).join(',')}]`,
    ownOf(jobs),
  ];
}

>>>>>>> drills
/** One set alone, which is what most calls are; workers are told with the same commit. */
export async function insertSet(
  session: Session,
  set: JobSet,
  jobs: readonly NewJob[],
): Promise<InsertOutcome[]> {
  const { database, wakeSignal } = session;
  const values: unknown[] = [...listsOf(set), false, session.now()];
  const verb = `${database.verbs}.insert_many($1, $2, $3, $4, $5, $6)`;
  const types = jobs.length === 1 ? claimableOf(jobs) : [];
  const sql =
    types.length === 0 ? `SELECT ${verb} AS at` : `SELECT ${verb} AS at, pg_notify($7, $8)`;
  if (types.length > 0) values.push(...wakeSignal.words(types));
  const [row] = await database.write<{ at: number }>(sql, values);
  return jobs.map(() => ({ kind: 'created', at: row!.at }));
}

<<<<<<< HEAD
function wireOf(
=======
export interface Numbered {
  readonly job: NewJob;
  readonly ord: number;
}

export function wireOf(
>>>>>>> drills
  session: Session,
  given: {
    sets: readonly JobSet[];
    rest: readonly Numbered[];
    /** The place of each job in the call: within a lane they are claimed in this order. */
    ords: ReadonlyMap<NewJob, number>;
    isLate: boolean;
    waitMs: number;
  },
): unknown[] {
  const lists = given.sets.map(listsOf);
  const rest = given.rest.map((one) => itemOf(session, one));
  return [
    lists.map(([common]) => common),
    lists.map(([, ids]) => ids),
    lists.map(([, , inputs]) => inputs),
    lists.map(([, , , own]) => own),
    given.sets.map(({ jobs }) => `{${jobs.map((job) => given.ords.get(job)! + 1).join(',')}}`),
    rest.length === 0 ? null : JSON.stringify(rest),
    given.isLate ? null : gateKeysOf(session, given.rest),
    given.isLate,
    given.waitMs,
    session.now(),
  ];
}

/** Where newcomers may be let in at once: the first key that each has. */
export function gateKeysOf({ names }: Session, rest: readonly Numbered[]): string[] | null {
  const keys = rest.flatMap(({ job }) => {
    if (!names.isLimited(job.policy)) return [];
    const { running, user, organisation } = names.limitKeys(job);
    return running ?? user ?? organisation ?? [];
  });
  return keys.length === 0 ? null : keys;
}

export function itemOf(session: Session, { job, ord }: Numbered): Record<string, unknown> {
  const { running, active, user, organisation } = session.names.limitKeys(job);
  return {
    ...headOf(session, job),
    ...labelsOf(job),
    ord,
    id: job.id,
    type: job.type,
    version: job.places.length,
    input: job.input,
    key: job.idempotency?.key,
    payload_hash: job.idempotency?.payloadHash,
    window_ms: job.idempotency?.windowMs,
    slot_key: running ?? undefined,
    active_key: active ?? undefined,
    user_key: user ?? undefined,
    organisation_key: organisation ?? undefined,
    unique_key: job.unique?.key,
    unique_mode: job.unique?.mode,
    unique_window_ms: job.unique?.windowMs,
    unique_wait_ms: job.unique?.waitMaxMs,
  };
}

/** A row without a number stands for all that have none of their own. */
export function outcomesOf(jobs: readonly NewJob[], rows: readonly OutcomeRow[]): InsertOutcome[] {
  const at = rows.at(-1)!.at;
  const outcomes = jobs.map((): InsertOutcome => ({ kind: 'created', at }));
  for (const { ord, kind, id } of rows) {
    if (ord !== null && kind !== 'created') outcomes[ord] = { kind, id: id! };
  }
  return outcomes;
}
