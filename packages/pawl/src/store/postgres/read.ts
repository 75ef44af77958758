import { isUuid } from '../../core/uuid.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { type Phase, phaseOfRank } from '../../core/phase.ts';
import type { EventPage, EventQuery } from '../query.ts';
import type { StageResult } from '../stage-result.ts';
import { type EventRow, eventOf, type JobRow, toJobs } from './row.ts';
import type { Session } from './session.ts';

/** An id that is no UUID names nothing; to the database it would be an error. */
export function canExist(...ids: (string | undefined)[]): boolean {
  return ids.every((id) => id === undefined || isUuid(id.toLowerCase()));
}

export function readJobs(
  session: Session,
  refs: readonly JobRef[],
  part: 'phase',
): Promise<(Phase | null)[]>;
export function readJobs(session: Session, refs: readonly JobRef[]): Promise<(Job | null)[]>;
export function readJobs(
  session: Session,
  refs: readonly JobRef[],
  part?: 'phase',
): Promise<(Job | Phase | null)[]> {
  return part === 'phase' ? readPhases(session, refs) : readWhole(session, refs);
}

async function readWhole(session: Session, refs: readonly JobRef[]): Promise<(Job | null)[]> {
  const asked = await askedFor(session, refs);
  if (asked === null) return refs.map(() => null);
  const { database, names } = session;
  const rows = await database.ask<JobRow>('read_jobs', [asked.tenants, asked.ids]);
  const jobs = new Map<string, Job>();
  for (const job of await toJobs(rows, names)) {
    const key = keyOf(job);
    if (!jobs.has(key)) jobs.set(key, job);
  }
  return refs.map((ref) => jobs.get(keyOf(ref)) ?? null);
}

interface PhaseRow {
  readonly id: string;
  readonly tenant: number;
  readonly phase: number;
}

async function readPhases(session: Session, refs: readonly JobRef[]): Promise<(Phase | null)[]> {
  const asked = await askedFor(session, refs);
  if (asked === null) return refs.map(() => null);
  const { database } = session;
  const rows = await database.ask<PhaseRow>('read_phases', [asked.tenants, asked.ids]);
  const phases = new Map<string, Phase>();
  for (const { id, tenant, phase } of rows) {
    const key = `${id} ${tenant}`;
    // One that ends between the statements is found by two of them: the first is as true.
    if (!phases.has(key)) phases.set(key, phaseOfRank(phase));
  }
  return refs.map(
    ({ id }, index) => phases.get(`${id.toLowerCase()} ${asked.numbers[index]}`) ?? null,
  );
}

/** The tenants as the database numbers them, and the ids in their order; null: there are none. */
async function askedFor(
  { names }: Session,
  refs: readonly JobRef[],
): Promise<{ numbers: readonly (number | null)[]; tenants: number[]; ids: string[] } | null> {
  const numbers = await names.findTenants(refs.map(({ tenant }) => tenant));
  const tenants = [...new Set(numbers.filter((number) => number !== null))];
  const ids = refs.map(({ id }) => id.toLowerCase()).filter((id) => canExist(id));
  if (tenants.length === 0 || ids.length === 0) return null;
  return { numbers, tenants, ids: ids.toSorted() };
}

function keyOf({ tenant, id }: JobRef): string {
  return `${id.toLowerCase()} ${tenant}`;
}

export async function listStages(session: Session, ref: JobRef): Promise<StageResult[]> {
  const tenant = await session.tenantOf(ref.tenant);
  if (tenant === null || !canExist(ref.id)) return [];
  const { database } = session;
  return database.readAs<StageResult>(
    tenant,
    `SELECT s.name, s.result, (extract(epoch FROM s.at) * 1000)::int8 AS at
     FROM ${database.tables}.stages s WHERE s.id = $1 AND s.tenant = $2 ORDER BY s.n`,
    { values: [ref.id, tenant] },
  );
}

export async function countStages(
  session: Session,
  ref: JobRef,
  except: string | null,
): Promise<number> {
  const tenant = await session.tenantOf(ref.tenant);
  if (tenant === null || !canExist(ref.id)) return 0;
  const { database } = session;
  const [row] = await database.readAs<{ stages: number }>(
    tenant,
    `SELECT count(*)::int AS stages FROM ${database.tables}.stages s
     WHERE s.id = $1 AND s.tenant = $2 AND s.name IS DISTINCT FROM $3`,
    { values: [ref.id, tenant, except] },
  );
  return row!.stages;
}

/** A cursor may name any number; none beyond this one is stored. */
const INT_MAX = 2_147_483_647;

export async function listEvents(session: Session, query: EventQuery): Promise<EventPage> {
  const { database, names } = session;
  const tenant = await session.tenantOf(query.tenant);
  if (tenant === null || !canExist(query.id)) return { events: [], hasMore: false };
  const { version, note } = query.after ?? { version: 0, note: 0 };
  const limit = Math.trunc(query.limit) + 1;
  const rows = await database.askAs<EventRow>(tenant, 'history', [
    tenant,
    query.id,
    Math.min(version, INT_MAX),
    Math.min(note, INT_MAX),
    limit,
    query.notes,
  ]);
  await names.learn(rows);
  const events = rows.slice(0, query.limit).map((row) => eventOf(row, names));
  return { events, hasMore: rows.length > query.limit };
}
