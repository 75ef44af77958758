import { isUuid } from '../../core/uuid.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { EventPage, EventQuery } from '../query.ts';
import type { StageResult } from '../stage-result.ts';
import { type EventRow, eventOf, eventSelect, jobOf, type JobRow, noteSelect } from './row.ts';
import type { Session } from './session.ts';
import { toMs } from './sql-text.ts';

/** Conditions of a query and their values, numbered as they come. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** `?` stands for the value; one that is undefined asks for nothing. */
  add(text: string, value: unknown): this {
    return value === undefined ? this : this.addAll(text, [value]);
  }

  /** One condition with several values, each `?` for the next of them. */
  addAll(text: string, values: readonly unknown[]): this {
    const first = this.values.length;
    this.values.push(...values);
    let next = first;
    this.#texts.push(text.replaceAll('?', () => `$${(next += 1)}`));
    return this;
  }

  /** These and one more. */
  with(text: string, value: unknown): Conditions {
    const all = new Conditions();
    all.values.push(...this.values);
    all.#texts.push(...this.#texts);
    return all.add(text, value);
  }

  get sql(): string {
    return this.#texts.join(' AND ');
  }
}

export async function tenantOf(session: Session, name: string): Promise<number | null> {
  const [id] = await session.names.findTenants([name]);
  return id ?? null;
}

/** An id that is no UUID names nothing; to the database it would be an error. */
export function canExist(...ids: (string | undefined)[]): boolean {
  return ids.every((id) => id === undefined || isUuid(id.toLowerCase()));
}

export async function readJobs(session: Session, refs: readonly JobRef[]): Promise<(Job | null)[]> {
  const tenants = await session.names.findTenants(refs.map(({ tenant }) => tenant));
  const ids = refs.map(({ id }) => (canExist(id) ? id : null));
  const rows = await session.database.read<JobRow & { ord: number }>(
    'SELECT * FROM pawl.read_v1($1, $2)',
    [tenants, ids],
  );
  await session.names.learn(rows);
  const jobs = refs.map((): Job | null => null);
  for (const row of rows) jobs[row.ord - 1] = jobOf(row, session.names);
  return jobs;
}

export async function listStages(session: Session, ref: JobRef): Promise<StageResult[]> {
  const tenant = await tenantOf(session, ref.tenant);
  if (tenant === null || !canExist(ref.id)) return [];
  return session.database.readFor<StageResult>(
    tenant,
    `SELECT s.name, s.result, ${toMs('s.at')} AS at FROM pawl.stage_results s
     WHERE s.tenant_id = $1 AND s.job_id = $2 ORDER BY s.n`,
    [tenant, ref.id],
  );
}

/** A cursor may name any number; none beyond this one is stored. */
const INT_MAX = 2_147_483_647;

export async function listEvents(session: Session, query: EventQuery): Promise<EventPage> {
  const tenant = await tenantOf(session, query.tenant);
  if (tenant === null || !canExist(query.id)) return { events: [], hasMore: false };
  const { version, note } = query.after ?? { version: 0, note: 0 };
  // By a query of its own: only a day that is known beforehand spares the plan all others.
  const [job] = await session.database.readFor<{ born: string }>(
    tenant,
    'SELECT j.born::text FROM pawl.jobs j WHERE j.tenant_id = $1 AND j.id = $2',
    [tenant, query.id],
  );
  if (job === undefined) return { events: [], hasMore: false };
  const limit = Math.trunc(query.limit) + 1;
  const notes = `UNION ALL (SELECT ${noteSelect('o')} FROM pawl.notes o
    WHERE o.tenant_id = $1 AND o.job_id = $2 AND (o.version, o.n) > ($3, $4)
      AND o.day >= $5::date - 1
    ORDER BY o.version, o.n LIMIT ${limit})`;
  const rows = await session.database.readFor<EventRow>(
    tenant,
    `SELECT * FROM ((SELECT ${eventSelect('e')} FROM pawl.events e
      WHERE e.tenant_id = $1 AND e.job_id = $2 AND (e.version, 0) > ($3, $4) AND e.born = $5::date
      ORDER BY e.version LIMIT ${limit})
     ${query.notes ? notes : ''}) log ORDER BY version, note LIMIT ${limit}`,
    [tenant, query.id, Math.min(version, INT_MAX), Math.min(note, INT_MAX), job.born],
  );
  const events = rows.slice(0, query.limit).map((row) => eventOf(row, session.names));
  return { events, hasMore: rows.length > query.limit };
}
