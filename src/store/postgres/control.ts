import type { Instant } from '../../core/clock.ts';
import type { Throttle } from '../../core/throttle.ts';
import type {
  ControlStore,
  RateTrim,
  RateTrimmed,
  ThrottleChange,
  TypeHealth,
} from '../control.ts';
import { planWrite } from '../record-write.ts';
import { isIdle } from '../valve.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';
import { changeValve, lockValves } from './valve.ts';

/** The verbs, each a transaction of its own. */
export function controlOn(session: Session): ControlStore {
  return {
    ailing: (since) => listAiling(session, since),
    throttle: (change) => changeThrottle(session, change),
    trimTurns: (before) => trimTurns(session, before),
    trimRates: (trim) => trimRates(session, trim),
  };
}

const AILING = `WITH ended AS (
    SELECT o.tenant_id, o.type, sum(o.succeeded) AS succeeded, sum(o.failed) AS failed
    FROM pawl.turns o LEFT JOIN pawl.valves v
      ON v.tenant_id = o.tenant_id AND v.scope = 'type' AND v.name = o.type
    WHERE o.at >= greatest($1::int8, (v.throttle ->> 'changedAt')::int8)
    GROUP BY o.tenant_id, o.type),
  named AS (
    SELECT tenant_id, type FROM ended WHERE failed > 0
    UNION SELECT tenant_id, name FROM pawl.valves WHERE throttle IS NOT NULL)
  SELECT n.tenant_id, n.type, coalesce(e.succeeded, 0) AS succeeded,
    coalesce(e.failed, 0) AS failed, v.throttle::text AS throttle, v.concurrency,
    (SELECT count(*) FROM pawl.jobs j WHERE j.phase IN (2, 3)
      AND j.tenant_id + 0 = n.tenant_id AND j.type || '' = n.type) AS owned
  FROM named n JOIN pawl.tenants t ON t.id = n.tenant_id
  LEFT JOIN ended e ON e.tenant_id = n.tenant_id AND e.type = n.type
  LEFT JOIN pawl.valves v ON v.tenant_id = n.tenant_id AND v.scope = 'type' AND v.name = n.type
  ORDER BY t.name COLLATE "C", n.type COLLATE "C"`;

interface HealthRow extends Omit<TypeHealth, 'tenant' | 'throttle'> {
  readonly tenant_id: number;
  readonly throttle: string | null;
}

async function listAiling(session: Session, since: Instant): Promise<TypeHealth[]> {
  const rows = await session.database.read<HealthRow>(AILING, [since]);
  await session.names.learn(rows);
  return rows.map(({ tenant_id: tenant, throttle, ...row }) => ({
    ...row,
    tenant: session.names.tenant(tenant),
    throttle: throttle === null ? null : (JSON.parse(throttle) as Throttle),
  }));
}

const OF_TYPE = `tenant_id = $1 AND scope = 'type' AND name = $2`;
const CHANGED_AT = `SELECT (throttle ->> 'changedAt')::int8 AS at FROM pawl.valves
  WHERE ${OF_TYPE}`;

/** Like every change of a valve it waits for the claims under way, and so for other changes. */
async function changeThrottle(session: Session, change: ThrottleChange): Promise<boolean> {
  const { tenant, type, seen, next, actor } = change;
  await session.names.addTenants([tenant]);
  const tenantId = session.names.tenantId(tenant);
  return transactRecords(session, async (query) => {
    const plan = planWrite(change.with, await lockRecords(session, query, change.with));
    if (plan.kind === 'refused') return false;
    await lockValves(query);
    const [row] = await query<{ at: number | null }>(CHANGED_AT, [tenantId, type]);
    if ((row?.at ?? null) !== (seen?.changedAt ?? null)) return false;
    const concurrency = next?.ceiling ?? seen?.bound ?? null;
    const ref = { tenant, scope: 'type', name: type } as const;
    const valve = await changeValve(session, query, { ...ref, actor, concurrency });
    if (next === null && isIdle(valve)) {
      await query(`DELETE FROM pawl.valves WHERE ${OF_TYPE}`, [tenantId, type]);
    } else {
      const text = next === null ? null : JSON.stringify(next);
      await query(`UPDATE pawl.valves SET throttle = $3::json WHERE ${OF_TYPE}`, [
        tenantId,
        type,
        text,
      ]);
    }
    await saveRecords(query, plan.changes);
    return true;
  });
}

async function trimTurns({ database }: Session, before: Instant): Promise<number> {
  const [row] = await database.write<{ count: number }>(
    `WITH gone AS (DELETE FROM pawl.turns WHERE at < $1 RETURNING 1)
     SELECT count(*) AS count FROM gone`,
    [before],
  );
  return row!.count;
}

async function trimRates(session: Session, { after, limit }: RateTrim): Promise<RateTrimmed> {
  const [row] = await session.database.write<{ trimmed: number; next: string | null }>(
    'SELECT * FROM pawl.trim_rates_v1($1, $2, $3)',
    [after, limit, session.now()],
  );
  return row!;
}
