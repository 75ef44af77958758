import type { Instant } from '../../core/clock.ts';
import {
  turnEndOf,
  RATE_IDLE_MS,
  type RateTrim,
  type RateTrimmed,
  slotOf,
  type ThrottleChange,
  type TypeHealth,
} from '../control.ts';
import { GATE, gateOfKey } from '../gate.ts';
import type { Move } from '../move.ts';
import { planWrite } from '../record-write.ts';
import { isIdle } from '../valve.ts';
import { saveRecords, writeContext } from './records.ts';
import { putValve, throttleOf } from './valve.ts';
import type { Work } from './work.ts';

const COUNT = `INSERT INTO turns VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE
  SET succeeded = succeeded + ?4, failed = failed + ?5`;

interface Count {
  readonly tenantId: number;
  readonly type: string;
  succeeded: number;
  failed: number;
}

/** How the moves of a call have ended: written once for each type before the call ends. */
export class TurnCounts {
  readonly #counts = new Map<string, Count>();

  add(move: Move, { tenant_id: tenantId, type }: { tenant_id: number; type: string }): void {
    const end = turnEndOf(move);
    if (end === null) return;
    const key = `${tenantId} ${type}`;
    const count = this.#counts.get(key) ?? { tenantId, type, succeeded: 0, failed: 0 };
    count[end] += 1;
    this.#counts.set(key, count);
  }

  write({ connection, now }: Work): void {
    for (const { tenantId, type, succeeded, failed } of this.#counts.values()) {
      connection.sql(COUNT).run(tenantId, type, slotOf(now), succeeded, failed);
    }
  }
}

const AILING = `WITH ended AS (
    SELECT o.tenant_id, o.type, sum(o.succeeded) AS succeeded, sum(o.failed) AS failed
    FROM turns o LEFT JOIN valves v
      ON v.tenant_id = o.tenant_id AND v.scope = 'type' AND v.name = o.type
    WHERE o.at >= max(?, coalesce(v.throttle ->> 'changedAt', 0))
    GROUP BY o.tenant_id, o.type),
  named AS (
    SELECT tenant_id, type FROM ended WHERE failed > 0
    UNION SELECT tenant_id, name FROM valves WHERE throttle IS NOT NULL)
  SELECT n.tenant_id, n.type, coalesce(e.succeeded, 0) AS succeeded,
    coalesce(e.failed, 0) AS failed, v.throttle, v.concurrency,
    (SELECT count(*) FROM jobs j INDEXED BY jobs_owned WHERE j.phase IN (2, 3)
      AND j.tenant_id = n.tenant_id AND j.type = n.type) AS owned
  FROM named n JOIN tenants t ON t.id = n.tenant_id
  LEFT JOIN ended e ON e.tenant_id = n.tenant_id AND e.type = n.type
  LEFT JOIN valves v ON v.tenant_id = n.tenant_id AND v.scope = 'type' AND v.name = n.type
  ORDER BY t.name, n.type`;

export function listAiling({ connection, registry }: Work, since: Instant): TypeHealth[] {
  return connection
    .sql(AILING)
    .all(since)
    .map((row) => ({
      tenant: registry.tenantName(row['tenant_id'] as number),
      type: row['type'] as string,
      succeeded: Number(row['succeeded']),
      failed: Number(row['failed']),
      owned: Number(row['owned']),
      throttle: throttleOf(row['throttle'] as string | null),
      concurrency: row['concurrency'] as number | null,
    }));
}

const CHANGED_AT = `SELECT throttle ->> 'changedAt' AS at FROM valves
  WHERE tenant_id = ? AND scope = 'type' AND name = ?`;
const SET_THROTTLE = `UPDATE valves SET throttle = ?
  WHERE tenant_id = ? AND scope = 'type' AND name = ?`;
const REMOVE = `DELETE FROM valves WHERE tenant_id = ? AND scope = 'type' AND name = ?`;

export function changeThrottle(work: Work, change: ThrottleChange): boolean {
  const { connection, registry } = work;
  const { tenant, type, seen, next, actor } = change;
  const tenantId = registry.makeTenant(tenant);
  const changedAt = connection.sql(CHANGED_AT).get(tenantId, type)?.['at'] ?? null;
  const plan = planWrite(change.with, writeContext(work));
  if (changedAt !== (seen?.changedAt ?? null) || plan.kind === 'refused') return false;
  const concurrency = next?.ceiling ?? seen?.bound ?? null;
  const valve = putValve(work, { tenant, scope: 'type', name: type, actor, concurrency });
  if (next === null && isIdle(valve)) connection.sql(REMOVE).run(tenantId, type);
  else connection.sql(SET_THROTTLE).run(next && JSON.stringify(next), tenantId, type);
  saveRecords(work, plan.changes);
  return true;
}

export function trimTurns({ connection }: Work, before: Instant): number {
  return Number(connection.sql('DELETE FROM turns WHERE at < ?').run(before).changes);
}

const RATES_FROM = `SELECT key, level, at FROM rate_levels
  WHERE next_at IS NULL AND key > ? ORDER BY key LIMIT ?`;

export function trimRates({ connection, now }: Work, { after, limit }: RateTrim): RateTrimmed {
  const rows = connection.sql(RATES_FROM).all(after ?? '', limit);
  const slowest = slowestOf(connection);
  const full = rows.filter((row) => {
    const idleMs = now - Number(row['at']);
    const gate = gateOfKey(String(row['key']));
    return idleMs >= RATE_IDLE_MS && Number(row['level']) <= idleMs * slowest[gate]!;
  });
  const remove = connection.sql('DELETE FROM rate_levels WHERE key = ?');
  for (const row of full) remove.run(row['key']!);
  return {
    trimmed: full.length,
    next: rows.length < limit ? null : String(rows.at(-1)!['key']),
  };
}

function rateSql(name: string): string {
  const path = `'$.limits.rate.${name}`;
  return `min(1.0 * json_extract(policy, ${path}.max') / json_extract(policy, ${path}.perMs'))`;
}

const SLOWEST = `SELECT ${rateSql('perUser')} AS user, ${rateSql('perOrganisation')} AS organisation
  FROM policies`;

/** Tokens a millisecond by gate, of all policies that there are. */
function slowestOf(connection: Work['connection']): Readonly<Record<number, number>> {
  const row = connection.sql(SLOWEST).get()!;
  return {
    [GATE.user]: (row['user'] ?? Infinity) as number,
    [GATE.organisation]: (row['organisation'] ?? Infinity) as number,
  };
}
