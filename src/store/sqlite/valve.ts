import type { Throttle } from '../../core/throttle.ts';
import { changedValve, type Valve, type ValveChange, type ValveScope } from '../valve.ts';
import type { Lane } from './lane.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

const VALVE = 'SELECT * FROM valves WHERE tenant_id = ? AND scope = ? AND name = ?';
const PUT = `INSERT INTO valves (tenant_id, scope, name, is_paused, concurrency, high_watermark,
    low_watermark, is_shedding, reason, actor, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET is_paused = excluded.is_paused, concurrency = excluded.concurrency,
    high_watermark = excluded.high_watermark, low_watermark = excluded.low_watermark,
    is_shedding = excluded.is_shedding, reason = excluded.reason, actor = excluded.actor,
    updated_at = excluded.updated_at`;
const LIST = `SELECT v.* FROM valves v JOIN tenants t ON t.id = v.tenant_id
  WHERE ?1 IS NULL OR v.tenant_id = ?1 ORDER BY t.name, v.scope, v.name`;

export function putValve(work: Work, change: ValveChange): Valve {
  const { connection, registry, now } = work;
  const tenantId = registry.makeTenant(change.tenant);
  const row = connection.sql(VALVE).get(tenantId, change.scope, change.name);
  const before = row === undefined ? null : valveOfRow(work, row);
  const valve = changedValve(before, change, now);
  connection
    .sql(PUT)
    .run(
      tenantId,
      valve.scope,
      valve.name,
      Number(valve.isPaused),
      valve.concurrency,
      valve.highWatermark,
      valve.lowWatermark,
      Number(valve.isShedding),
      valve.reason,
      valve.actor,
      now,
    );
  return valve;
}

export function listValves(work: Work, tenant: string | null): Valve[] {
  const tenantId = tenant === null ? null : work.registry.findTenant(tenant);
  if (tenant !== null && tenantId === null) return [];
  return work.connection
    .sql(LIST)
    .all(tenantId)
    .map((row) => valveOfRow(work, row));
}

function valveOfRow({ registry }: Work, row: Row): Valve {
  return {
    tenant: registry.tenantName(row['tenant_id'] as number),
    scope: row['scope'] as ValveScope,
    name: row['name'] as string,
    isPaused: row['is_paused'] === 1,
    concurrency: row['concurrency'] as number | null,
    throttle: throttleOf(row['throttle'] as string | null),
    highWatermark: row['high_watermark'] as number | null,
    lowWatermark: row['low_watermark'] as number | null,
    isShedding: row['is_shedding'] === 1,
    reason: row['reason'] as string | null,
    actor: row['actor'] as string,
    updatedAt: row['updated_at'] as number,
  };
}

export function throttleOf(text: string | null): Throttle | null {
  return text === null ? null : (JSON.parse(text) as Throttle);
}

const DEPTH = `SELECT count(*) AS count FROM (
  SELECT 1 FROM jobs WHERE gate = 0 AND tenant_id = ?1 AND queue = ?2
  UNION ALL SELECT 1 FROM jobs WHERE gate > 2 AND tenant_id = ?1 AND queue = ?2 LIMIT ?3)`;

export function depthOf(
  { connection, registry }: Work,
  { tenant, queue }: { tenant: string; queue: string },
  max: number,
): number {
  const tenantId = registry.findTenant(tenant);
  if (tenantId === null) return 0;
  return Number(connection.sql(DEPTH).get(tenantId, queue, max)!['count']);
}

/** The owned jobs are few enough to look at, and only where there is such a limit. */
const OWNED: Readonly<Record<ValveScope, string>> = {
  queue: `SELECT count(*) AS count FROM jobs INDEXED BY jobs_owned
    WHERE phase IN (2, 3) AND tenant_id = ? AND queue = ?`,
  type: `SELECT count(*) AS count FROM jobs INDEXED BY jobs_owned
    WHERE phase IN (2, 3) AND tenant_id = ? AND type = ?`,
};

const SCOPES: readonly ValveScope[] = ['queue', 'type'];

/** How many more jobs of a lane may be owned; null where it is paused. */
export function roomOf({ connection }: Work, lane: Lane): number | null {
  let room = Infinity;
  for (const scope of SCOPES) {
    const valve = connection.sql(VALVE).get(lane.tenant, scope, lane[scope]);
    if (valve?.['is_paused'] === 1) return null;
    const concurrency = (valve?.['concurrency'] ?? null) as number | null;
    if (concurrency === null) continue;
    const owned = connection.sql(OWNED[scope]).get(lane.tenant, lane[scope])!;
    room = Math.min(room, concurrency - Number(owned['count']));
  }
  return Math.max(0, room);
}
