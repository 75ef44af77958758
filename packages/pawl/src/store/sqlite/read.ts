import type { Job, JobRef } from '../../core/job.ts';
import { type Phase, phaseOfRank, rankOf } from '../../core/phase.ts';
import type { LifecyclePlace } from '../overdue.ts';
import { OWNED_MAX, type OwnedJob } from '../owned.ts';
import type { StageResult } from '../stage-result.ts';
import { stateCode } from './names.ts';
import { C, jobOf, type JobRow } from './row.ts';
import { bytesToFind, uuidOfBytes } from './uuid-bytes.ts';
import type { Work } from './work.ts';

/** Null for a job that is not there. */
export function findJob({ connection, names }: Work, { tenant, id }: JobRef): JobRow | null {
  const number = names.findTenant(tenant);
  const bytes = bytesToFind(id);
  if (number === null || bytes === null) return null;
  return (connection.lists('job_by_id').get(number, bytes) as unknown as JobRow) ?? null;
}

export function readJobs(work: Work, refs: readonly JobRef[], part: 'phase'): (Phase | null)[];
export function readJobs(work: Work, refs: readonly JobRef[]): (Job | null)[];
export function readJobs(
  work: Work,
  refs: readonly JobRef[],
  part?: 'phase',
): (Job | Phase | null)[] {
  if (part === 'phase') return readPhases(work, refs);
  return refs.map((ref) => {
    const row = findJob(work, ref);
    return row === null ? null : jobOf(work.names, row);
  });
}

function readPhases({ connection, names }: Work, refs: readonly JobRef[]): (Phase | null)[] {
  const statement = connection.lists('phase_by_id');
  return refs.map(({ tenant, id }) => {
    const number = names.findTenant(tenant);
    const bytes = bytesToFind(id);
    if (number === null || bytes === null) return null;
    const row = statement.get(number, bytes) as unknown as [number] | undefined;
    return row === undefined ? null : phaseOfRank(row[0]);
  });
}

/** Rows of a statement that lists jobs. */
export function rowsOf(
  { connection }: Work,
  name: string,
  ...values: readonly (number | string | null)[]
): JobRow[] {
  return connection.lists(name).all(...values) as unknown as JobRow[];
}

export function stagesOf({ connection }: Work, key: number): StageResult[] {
  const rows = connection.sql('stages').all(key);
  return rows.map((row) => ({ ...row }) as unknown as StageResult);
}

export function readStages(work: Work, ref: JobRef): StageResult[] {
  const row = findJob(work, ref);
  return row === null ? [] : stagesOf(work, row[C.key] as number);
}

export function countStages(work: Work, ref: JobRef, except: string | null): number {
  const row = findJob(work, ref);
  if (row === null) return 0;
  const found = work.connection.sql('count_stages').get(row[C.key] as number, except);
  return Number(found!['stages']);
}

/** Renewals pay for no index on the deadline: the owned jobs are few enough to look at. */
export function expiredJobs(work: Work, limit: number): Job[] {
  const rows = rowsOf(work, 'expired', work.now, limit);
  return rows.toSorted(by(C.lease_expiry)).map((row) => jobOf(work.names, row));
}

/** By a column and then by age. */
export function by(column: number): (one: JobRow, other: JobRow) => number {
  return (one, other) =>
    (one[column] as number) - (other[column] as number) ||
    (one[C.key] as number) - (other[C.key] as number);
}

/** One look-up for each place, so that jobs in others, however many, cost nothing. */
export function overdueJobs(work: Work, places: readonly LifecyclePlace[], limit: number): Job[] {
  const rows = places.flatMap((place) => {
    const lifecycle = work.names.lifecycle(place);
    const state = stateCode(lifecycle, place.state);
    return rowsOf(work, 'overdue', lifecycle.number, state, rankOf(place.phase), work.now, limit);
  });
  const first = rows.sort(by(C.deadline_at)).slice(0, limit);
  return first.map((row) => jobOf(work.names, row));
}

export function ownedJobs(
  { connection, names }: Work,
  owners: readonly string[],
  tenant: string | null,
): OwnedJob[] {
  const number = tenant === null ? null : names.findTenant(tenant);
  if (tenant !== null && number === null) return [];
  return [...new Set(owners)].flatMap((owner) =>
    connection
      .sql('owned')
      .all(names.findOwner(owner), number, OWNED_MAX)
      .map((row) => ({
        owner,
        tenant: names.tenantName(row['tenant'] as number),
        id: uuidOfBytes(row['id'] as Uint8Array),
      })),
  );
}
