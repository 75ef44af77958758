import type { Instant } from '../../core/clock.ts';
import { NOTHING_PURGED, type Purge, type Purged } from '../retention.ts';
import { isLockTimeout } from './failure.ts';
import type { Query } from './pool.ts';
import { purgeJobs } from './retention-jobs.ts';
import type { Session } from './session.ts';
import { fromMs, quoteName } from './sql-text.ts';

/**
 * One slice in one transaction, by one process at a time. Days are dropped afterwards, each in a
 * transaction of its own that would rather give up than let writers queue behind it.
 */
export async function purge(session: Session, cuts: Purge): Promise<Purged> {
  const { purged, clearDay } = await session.database.transact((query) => purgeSlice(query, cuts));
  if (purged === null) return NOTHING_PURGED;
  let days = clearDay === null ? 0 : await dropDays(session, [`events_${clearDay}`]);
  // Once a sweep: an attempt that somebody's long transaction defeats makes writers wait.
  const isLast = !purged.hasMore;
  if (cuts.notes !== null && isLast)
    days += await dropDays(session, await oldNotes(session, cuts.notes));
  return { ...purged, days };
}

async function purgeSlice(
  query: Query,
  cuts: Purge,
): Promise<{ purged: Purged | null; clearDay: string | null }> {
  const [turn] = await query('SELECT FROM pawl.retention FOR UPDATE SKIP LOCKED');
  if (turn === undefined) return { purged: null, clearDay: null };
  const { limit } = cuts;
  const walk = await purgeJobs(query, cuts.jobs, limit);
  const idempotency = await purgeOld(query, IDEMPOTENCY, { cut: cuts.keys, limit });
  const unique = await purgeOld(query, UNIQUE, { cut: cuts.keys, limit });
  const counts = {
    feed: await purgeOld(query, FEED, { cut: cuts.feed, limit }),
  };
  const isFull = [...Object.values(counts), idempotency, unique].some((count) => count >= limit);
  const hasMore = walk.hasMore || (isFull && limit > 0);
  const { jobs, clearDay } = walk;
  const keys = idempotency + unique;
  return { purged: { ...counts, jobs, keys, notes: 0, days: 0, hasMore }, clearDay };
}

async function purgeOld(
  query: Query,
  sql: string,
  { cut, limit }: { cut: Instant | null; limit: number },
): Promise<number> {
  if (cut === null) return 0;
  const [row] = await query<{ count: number }>(sql, [cut, limit]);
  return row!.count;
}

const CUT = fromMs('$1::int8');

/** `which` names rows by `ctid`, which nothing moves: who changes them meanwhile is seen. */
function removal(table: string, which: string): string {
  return `WITH gone AS (DELETE FROM pawl.${table} WHERE ctid = ANY (ARRAY(${which}
    FOR UPDATE SKIP LOCKED)) RETURNING 1) SELECT count(*) FROM gone`;
}

const IDEMPOTENCY = removal(
  'idempotency_keys',
  `SELECT ctid FROM pawl.idempotency_keys WHERE expires_at <= ${CUT} ORDER BY expires_at LIMIT $2`,
);

/** A key whose job can still be joined has a say beyond its window. */
const UNIQUE = removal(
  'unique_keys',
  `SELECT u.ctid FROM pawl.unique_keys u WHERE u.until <= ${CUT}
    AND NOT EXISTS (SELECT FROM pawl.jobs j WHERE j.id = u.job_id AND j.tenant_id = u.tenant_id
      AND j.epoch = 1 AND j.phase IN (0, 1))
  ORDER BY u.until LIMIT $2`,
);

/**
 * Up to the first young row, of transactions that are surely over, and not the last row of all:
 * the feed goes without leaving holes, and where it begins now is written down. The next slice
 * looks from there on: what is gone may still lie in the index, for as long as somebody's old
 * transaction keeps vacuum away.
 */
const FEED = `WITH log AS MATERIALIZED (SELECT incarnation, horizon FROM pawl.log_v1()),
  head AS MATERIALIZED (
    SELECT xid, n, ts > ${CUT} AS is_young FROM pawl.feed
    WHERE xid < (SELECT horizon FROM log) AND (xid, n) > (
      SELECT coalesce(max(r.floor_xid), '0'), coalesce(max(r.floor_n), 0)
      FROM pawl.retention r JOIN log ON r.floor_log = log.incarnation)
    ORDER BY xid, n LIMIT $2),
  young AS (SELECT xid, n FROM head WHERE is_young ORDER BY xid, n LIMIT 1),
  last AS (SELECT xid, n FROM pawl.feed ORDER BY xid DESC, n DESC LIMIT 1),
  going AS MATERIALIZED (
    SELECT h.xid, h.n FROM head h JOIN last l ON (h.xid, h.n) < (l.xid, l.n)
    WHERE NOT EXISTS (SELECT FROM young y WHERE (h.xid, h.n) >= (y.xid, y.n))),
  gone AS (DELETE FROM pawl.feed f USING going g WHERE f.xid = g.xid AND f.n = g.n
    RETURNING f.xid, f.n),
  floor AS (UPDATE pawl.retention SET floor_log = (SELECT incarnation FROM log),
    (floor_xid, floor_n) = (SELECT xid, n FROM gone ORDER BY xid DESC, n DESC LIMIT 1)
    WHERE EXISTS (SELECT FROM gone))
  SELECT count(*) FROM gone`;

async function oldNotes(session: Session, cut: Instant): Promise<string[]> {
  const rows = await session.database.read<{ name: string }>(
    `SELECT name FROM pawl.days_v1('notes')
     WHERE day + 1 <= (${CUT} AT TIME ZONE 'UTC') ORDER BY day`,
    [cut],
  );
  return rows.map(({ name }) => name);
}

/** Dropping needs the parent for a moment alone; who waits behind us waits no longer than so. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '100ms'`;

/** What cannot be had at once is dropped another time, and what comes after it too. */
async function dropDays(session: Session, names: readonly string[]): Promise<number> {
  let count = 0;
  for (const name of names) {
    try {
      await session.database.transact(async (query) => {
        await query(LOCK_TIMEOUT);
        await query(`DROP TABLE IF EXISTS pawl.${quoteName(name)}`);
      });
      count += 1;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return count;
    }
  }
  return count;
}
