import type { EndQuery, EndSum, EndWrite, MeasureStore, Outcome, Vitals } from '../measure.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

/** The verbs, each a transaction of its own. */
export function measuresOn(session: Session): MeasureStore {
  return {
    addEnds: (write) => addEnds(session, write),
    endsReadTo: (reader) => readTo(session, reader),
    ends: (query) => sumEnds(session, query),
    vitals: () => vitalsOf(session),
  };
}

/** No bin: the job ended before anyone began it. */
const NONE = -1;

/** Whoever comes second waits for the row here, and then finds that it has moved. */
const BEGIN = 'INSERT INTO pawl.end_readers VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1';
const MOVE_ON =
  'UPDATE pawl.end_readers SET cursor = $2 WHERE name = $1 AND cursor = $3 RETURNING 1';
const ADD = `INSERT INTO pawl.ends AS o
  SELECT * FROM unnest($1::int[], $2::text[], $3::int8[], $4::text[], $5::text[], $6::int2[],
    $7::int8[])
  ON CONFLICT (tenant_id, grain, at, type, outcome, bin)
    DO UPDATE SET count = o.count + excluded.count`;

const FORGET = 'DELETE FROM pawl.ends WHERE grain = $1 AND at < $2';

async function addEnds(session: Session, write: EndWrite): Promise<boolean> {
  const { reader, from, to, counts, forgetBefore } = write;
  await session.names.addTenants(counts.map(({ tenant }) => tenant));
  return session.database.transact(async (query) => {
    const moved =
      from === null ? await query(BEGIN, [reader, to]) : await query(MOVE_ON, [reader, to, from]);
    if (moved.length === 0) return false;
    await query(ADD, [
      counts.map(({ tenant }) => session.names.tenantId(tenant)),
      counts.map(({ grain }) => grain),
      counts.map(({ at }) => at),
      counts.map(({ type }) => type),
      counts.map(({ outcome }) => outcome),
      counts.map(({ bin }) => bin ?? NONE),
      counts.map(({ count }) => count),
    ]);
    for (const [grain, before] of Object.entries(forgetBefore ?? {}))
      await query(FORGET, [grain, before]);
    return true;
  });
}

async function readTo({ database }: Session, reader: string): Promise<string | null> {
  const sql = 'SELECT cursor FROM pawl.end_readers WHERE name = $1';
  const [row] = await database.read<{ cursor: string }>(sql, [reader]);
  return row?.cursor ?? null;
}

interface SumRow {
  readonly tenant_id: number;
  readonly type: string;
  readonly outcome: Outcome;
  readonly bin: number;
  readonly count: number;
}

/** From tenant to tenant by the key, so that a short window costs little. */
const SUM = `SELECT e.tenant_id, e.type, e.outcome, e.bin, sum(e.count)::int8 AS count
  FROM pawl.tenants t CROSS JOIN LATERAL (
    SELECT * FROM pawl.ends WHERE tenant_id = t.id AND grain = $3 AND at >= $1 OFFSET 0) e
  WHERE $2::int IS NULL OR t.id = $2 GROUP BY 1, 2, 3, 4`;

async function sumEnds(session: Session, { tenant, grain, since }: EndQuery): Promise<EndSum[]> {
  const id = tenant === null ? null : (await session.names.findTenants([tenant]))[0]!;
  if (tenant !== null && id === null) return [];
  const rows = await session.database.read<SumRow>(SUM, [since, id, grain]);
  await session.names.learn(rows);
  return rows.map(({ tenant_id, bin, ...row }) => ({
    ...row,
    tenant: session.names.tenant(tenant_id),
    bin: bin === NONE ? null : bin,
  }));
}

const OPEN_LETTERS = `SELECT type, count(*) AS count FROM pawl.dead_letters
  WHERE replayed_as IS NULL GROUP BY type`;

/** Rows that are there, but behind a transaction that may still write before them. */
const LAG = `SELECT coalesce(${toMs(NOW.replace('p_now', '$1'))} - ${toMs('min(ts)')}, 0) AS ms
  FROM pawl.feed WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())`;

async function vitalsOf(session: Session): Promise<Vitals> {
  const { database } = session;
  const deadLetters = await database.read<Vitals['deadLetters'][number]>(OPEN_LETTERS);
  const [lag] = await database.read<{ ms: number }>(LAG, [session.now()]);
  const { totalCount, idleCount, waitingCount } = database.pool;
  return {
    deadLetters,
    tailLagMs: Math.max(0, lag!.ms),
    gauges: {
      postgres_pool_connections: totalCount,
      postgres_pool_idle: idleCount,
      postgres_pool_waiting: waitingCount,
    },
  };
}
