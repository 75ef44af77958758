import type { Throttle } from '../../core/throttle.ts';
import { changedValve, type Valve, type ValveChange, type ValveScope } from '../valve.ts';
import type { Query } from './pool.ts';
import type { Session } from './session.ts';
import { fromMs, NOW, toMs } from './sql-text.ts';
import { VALVE_LOCK } from './valve-schema.ts';

interface ValveRow {
  readonly tenant_id: number;
  readonly scope: ValveScope;
  readonly name: string;
  readonly is_paused: boolean;
  readonly concurrency: number | null;
  readonly throttle: string | null;
  readonly high_watermark: number | null;
  readonly low_watermark: number | null;
  readonly is_shedding: boolean;
  readonly reason: string | null;
  readonly actor: string;
  readonly at: number;
}

const COLUMNS = `tenant_id, scope, v.name, is_paused, concurrency, high_watermark, low_watermark,
  is_shedding, reason, actor, throttle::text AS throttle, ${toMs('updated_at')} AS at`;

/** Waits for the claims under way, so that none that comes after the answer has missed it. */
export async function putValve(session: Session, change: ValveChange): Promise<Valve> {
  await session.names.addTenants([change.tenant]);
  return session.database.transact(async (query) => {
    await lockValves(query);
    return changeValve(session, query, change);
  });
}

export async function lockValves(query: Query): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(${VALVE_LOCK})`);
}

/** In a transaction that has locked the valves. */
export async function changeValve(
  session: Session,
  query: Query,
  change: ValveChange,
): Promise<Valve> {
  const tenant = session.names.tenantId(change.tenant);
  const [time] = await query<{ now: number }>(`SELECT ${toMs(NOW.replace('p_now', '$1'))} AS now`, [
    session.now(),
  ]);
  const [row] = await query<ValveRow>(
    `SELECT ${COLUMNS} FROM pawl.valves v WHERE tenant_id = $1 AND scope = $2 AND name = $3`,
    [tenant, change.scope, change.name],
  );
  const before = row === undefined ? null : valveOf(session, row);
  const valve = changedValve(before, change, time!.now);
  await query(
    `INSERT INTO pawl.valves (tenant_id, scope, name, is_paused, concurrency, high_watermark,
         low_watermark, is_shedding, reason, actor, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${fromMs('$11')})
       ON CONFLICT (tenant_id, scope, name) DO UPDATE SET is_paused = excluded.is_paused,
         concurrency = excluded.concurrency, high_watermark = excluded.high_watermark,
         low_watermark = excluded.low_watermark, is_shedding = excluded.is_shedding,
         reason = excluded.reason, actor = excluded.actor, updated_at = excluded.updated_at`,
    [
      tenant,
      valve.scope,
      valve.name,
      valve.isPaused,
      valve.concurrency,
      valve.highWatermark,
      valve.lowWatermark,
      valve.isShedding,
      valve.reason,
      valve.actor,
      valve.updatedAt,
    ],
  );
  return valve;
}

export async function listValves(session: Session, tenant: string | null): Promise<Valve[]> {
  const id = tenant === null ? null : (await session.names.findTenants([tenant]))[0]!;
  if (tenant !== null && id === null) return [];
  const rows = await session.database.readFor<ValveRow>(
    id,
    `SELECT ${COLUMNS} FROM pawl.valves v JOIN pawl.tenants t ON t.id = tenant_id
     WHERE $1::int IS NULL OR tenant_id = $1 ORDER BY t.name COLLATE "C", scope, v.name`,
    [id],
  );
  await session.names.learn(rows);
  return rows.map((row) => valveOf(session, row));
}

const DEPTH = `SELECT count(*) AS count FROM (
  (SELECT FROM pawl.jobs WHERE gate = 0 AND tenant_id = $1 AND queue = $2 LIMIT $3)
  UNION ALL (SELECT FROM pawl.jobs WHERE gate > 2 AND tenant_id = $1 AND queue = $2 LIMIT $3)
  LIMIT $3) d`;

export async function depthOf(
  session: Session,
  { tenant, queue }: { tenant: string; queue: string },
  max: number,
): Promise<number> {
  const [id] = await session.names.findTenants([tenant]);
  if (id === null) return 0;
  const [row] = await session.database.read<{ count: number }>(DEPTH, [id, queue, max]);
  return row!.count;
}

function valveOf(session: Session, row: ValveRow): Valve {
  return {
    tenant: session.names.tenant(row.tenant_id),
    scope: row.scope,
    name: row.name,
    isPaused: row.is_paused,
    concurrency: row.concurrency,
    throttle: row.throttle === null ? null : (JSON.parse(row.throttle) as Throttle),
    highWatermark: row.high_watermark,
    lowWatermark: row.low_watermark,
    isShedding: row.is_shedding,
    reason: row.reason,
    actor: row.actor,
    updatedAt: row.at,
  };
}
