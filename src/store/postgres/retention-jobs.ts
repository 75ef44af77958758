import type { Instant } from '../../core/clock.ts';
import type { Query } from './pool.ts';
import { fromMs } from './sql-text.ts';

interface Walk {
  readonly jobs: number;
  readonly hasMore: boolean;
  /** A day, as YYYYMMDD, of which no job is left and which is over. */
  readonly clearDay: string | null;
}

interface Place {
  readonly day: string;
  readonly name: string;
  readonly is_over: boolean;
  readonly after: string | null;
  readonly is_clear: boolean;
}

/** The day to go on with: the one of the last slice, or the next that there is. */
const PLACE = `SELECT d.day::text, to_char(d.day, 'YYYYMMDD') AS name,
    d.day + 1 <= (${fromMs('$1::int8')} AT TIME ZONE 'UTC') AS is_over,
    CASE WHEN d.day = r.day THEN r.after END AS after,
    CASE WHEN d.day = r.day THEN r.is_clear ELSE true END AS is_clear
  FROM pawl.retention r JOIN pawl.days_v1('events') d ON d.day >= coalesce(r.day, '-infinity')
    AND d.day <= (${fromMs('$1::int8')} AT TIME ZONE 'UTC')
  ORDER BY d.day LIMIT 1`;

const KEEP = `UPDATE pawl.retention SET day = $1::date, after = $2::uuid, is_clear = $3
  WHERE (day, after, is_clear) IS DISTINCT FROM ($1::date, $2::uuid, $3::boolean)`;

/**
 * Goes over the jobs of one day after the other, as the day's events name them, in the order of
 * their ids, which for UUIDv7 is that of their birth: jobs need no index for it. It waits at a job
 * that was born after the cut, and every hour begins anew, for jobs that ended late.
 */
export async function purgeJobs(query: Query, cut: Instant | null, limit: number): Promise<Walk> {
  if (cut === null) return { jobs: 0, hasMore: false, clearDay: null };
  const [place] = await query<Place>(PLACE, [cut]);
  if (place === undefined) return { jobs: 0, hasMore: await beginAnew(query, cut), clearDay: null };
  const slice = await purgeSlice(query, place, { cut, limit });
  const isClear = place.is_clear && slice.isClear;
  if (!slice.isThrough) {
    await query(KEEP, [place.day, slice.last, isClear]);
    const hasMore = slice.isAtYoung ? await beginAnew(query, cut) : limit > 0;
    return { jobs: slice.jobs, hasMore, clearDay: null };
  }
  await query(`UPDATE pawl.retention SET day = $1::date + 1, after = NULL, is_clear = true`, [
    place.day,
  ]);
  const clearDay = isClear && place.is_over ? place.name : null;
  return { jobs: slice.jobs, hasMore: true, clearDay };
}

const BEGIN_ANEW = `UPDATE pawl.retention SET day = NULL, after = NULL, is_clear = true,
    began = ${fromMs('$1::int8')}
  WHERE began IS NULL OR began <= ${fromMs('$1::int8')} - interval '1 hour' RETURNING 1`;

/** False: this round is still young. */
async function beginAnew(query: Query, cut: Instant): Promise<boolean> {
  return (await query(BEGIN_ANEW, [cut])).length > 0;
}

const NAMED = `SELECT e.job_id, e.tenant_id FROM pawl.events e
  WHERE e.born = $1::date AND e.version = 1 AND ($2::uuid IS NULL OR e.job_id > $2::uuid)
  ORDER BY e.job_id FETCH FIRST $3 ROWS WITH TIES`;

const JOBS = `SELECT j.id, j.created_at > ${fromMs('$3::int8')} AS is_young
  FROM unnest($1::int[], $2::uuid[]) WITH ORDINALITY AS x(tenant_id, id, ord)
  JOIN pawl.jobs j ON j.id = x.id AND j.tenant_id = x.tenant_id AND j.born = $4::date
  ORDER BY x.ord`;

/** Ended by the cut; one that somebody is writing to is left for the next time. */
const REMOVE = `WITH gone AS (
    DELETE FROM pawl.jobs j USING (
      SELECT o.id, o.tenant_id FROM unnest($1::int[], $2::uuid[]) AS x(tenant_id, id)
      JOIN pawl.jobs o ON o.id = x.id AND o.tenant_id = x.tenant_id
      WHERE o.born = $4::date AND o.phase >= 5 AND o.completed_at <= ${fromMs('$3::int8')}
      FOR UPDATE OF o SKIP LOCKED) old
    WHERE j.id = old.id AND j.tenant_id = old.tenant_id RETURNING j.id, j.tenant_id),
  stages AS (DELETE FROM pawl.stage_results s USING gone g
    WHERE s.tenant_id = g.tenant_id AND s.job_id = g.id),
  notes AS (DELETE FROM pawl.notes o USING gone g
    WHERE o.tenant_id = g.tenant_id AND o.job_id = g.id)
  SELECT count(*) FROM gone`;

interface Slice {
  readonly jobs: number;
  /** Of those looked at, none is left. */
  readonly isClear: boolean;
  readonly isAtYoung: boolean;
  readonly isThrough: boolean;
  /** The last id that was looked at. */
  readonly last: string | null;
}

async function purgeSlice(
  query: Query,
  { day, after }: Place,
  { cut, limit }: { cut: Instant; limit: number },
): Promise<Slice> {
  const named = await query<{ job_id: string; tenant_id: number }>(NAMED, [day, after, limit]);
  const columns = (rows: typeof named): unknown[] => [
    rows.map((row) => row.tenant_id),
    rows.map((row) => row.job_id),
    cut,
    day,
  ];
  const found = await query<{ id: string; is_young: boolean }>(JOBS, columns(named));
  const young = found.find(({ is_young }) => is_young)?.id;
  const old = named.filter(({ job_id }) => young === undefined || job_id < young);
  const there = found.filter(({ id }) => young === undefined || id < young).length;
  const [row] = await query<{ count: number }>(REMOVE, columns(old));
  return {
    jobs: row!.count,
    isClear: there === row!.count,
    isAtYoung: young !== undefined,
    isThrough: young === undefined && named.length < limit,
    last: old.at(-1)?.job_id ?? after,
  };
}
