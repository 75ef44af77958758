import type { Vitals } from '../care.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

/** Rows that are there, but behind a transaction that may still write before them. */
const LAG = `SELECT coalesce(${toMs(NOW.replace('p_now', '$1'))} - ${toMs('min(ts)')}, 0) AS ms
  FROM pawl.feed WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())`;

export async function vitalsOf(session: Session): Promise<Vitals> {
  const { database } = session;
  const [lag] = await database.read<{ ms: number }>(LAG, [session.now()]);
  const { totalCount, idleCount, waitingCount } = database.pool;
  return {
    tailLagMs: Math.max(0, lag!.ms),
    gauges: {
      postgres_pool_connections: totalCount,
      postgres_pool_idle: idleCount,
      postgres_pool_waiting: waitingCount,
    },
  };
}
