import type { Instant } from '../../core/clock.ts';
import type { InsertOutcome, NewJob } from '../insert.ts';
import { isMissingPartition, isUniqueViolation } from './failure.ts';
import { headOf, type JobSet, listsOf, type Numbered, ownFacts, partsOf } from './insert-sets.ts';
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
    if (!isMissingPartition(error)) throw error;
    await readBounds(session);
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

/** One set alone, which is what most calls are; workers are told with the same commit. */
export async function insertSet(
  session: Session,
  set: JobSet,
  jobs: readonly NewJob[],
): Promise<InsertOutcome[]> {
  const { database, wakeSignal } = session;
  const values: unknown[] = [...listsOf(set), false, session.now()];
  const types = jobs.length === 1 ? claimableOf(jobs) : [];
  if (types.length > 0) values.push(...wakeSignal.words(types));
  const verb = `SELECT ${database.verbs}.insert_many($1, $2, $3, $4, $5, $6) AS at`;
  const sql = types.length === 0 ? verb : `${verb}, pg_notify($7, $8)`;
  database.keep(`insert_many ${values.length}`, sql);
  const [row] = await database.write<{ at: number }>(sql, values);
  const created: InsertOutcome = { kind: 'created', at: row!.at };
  return jobs.map(() => created);
}

export function wireOf(
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
    ...ownFacts(job),
    ord,
    id: job.id,
    type: job.type,
    version: job.places.length,
    input: job.input,
    stages: job.stages === undefined ? undefined : stagesText(job.stages),
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

/** Results are texts in it: as JSON they would be read, and changed. */
function stagesText(stages: NonNullable<NewJob['stages']>): string | undefined {
  if (stages.length === 0) return undefined;
  return JSON.stringify(stages.map(({ name, result }) => [name, result]));
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
