import type { Instant } from '../../core/clock.ts';
import type { Throttle } from '../../core/throttle.ts';
import {
  type ControlStore,
  RATE_IDLE_MS,
  type RateTrim,
  type RateTrimmed,
  type ThrottleChange,
  type TypeHealth,
} from '../control.ts';
import {
  changedRule,
  isExpected,
  isIdle,
  type DispatchRule,
  type DispatchRuleChange,
  type DispatchScope,
  ruleAt,
} from '../dispatch-rule.ts';
import { planWrite } from '../record-write.ts';
import type { Query } from './database.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';

interface LimitRow {
  readonly tenant: number;
  readonly scope: DispatchScope;
  readonly name: string;
  readonly is_paused: boolean;
  readonly paused_until: number | null;
  readonly concurrency: number | null;
  readonly throttle: string | null;
  readonly high_watermark: number | null;
  readonly low_watermark: number | null;
  readonly is_shedding: boolean;
  readonly reason: string | null;
  readonly actor: string;
  readonly at: number;
}

const COLUMNS = `v.tenant, v.scope, v.name, v.is_paused, v.concurrency, v.high_watermark,
  v.low_watermark, v.is_shedding, v.reason, v.actor, v.throttle::text AS throttle,
  (extract(epoch FROM v.paused_until) * 1000)::int8 AS paused_until,
  (extract(epoch FROM v.updated_at) * 1000)::int8 AS at`;

export async function putLimit(
  session: Session,
  change: DispatchRuleChange,
): Promise<DispatchRule | null> {
  await session.names.addTenants([change.tenant]);
  return session.database.transact(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(${session.database.verbs}.limits_lock())`);
    const before = await readLimit(session, query, change);
    const now = await nowOf(session, query);
    if (!isExpected(before, change, now)) return null;
    const limit = changedRule(before, change, now);
    await writeLimit(session, query, { limit, seen: null });
    return limit;
  });
}

async function nowOf(session: Session, query: Query): Promise<Instant> {
  const { tables } = session.database;
  const [row] = await query<{ now: number }>(`SELECT ${tables}.now_ms($1) AS now`, [session.now()]);
  return row!.now;
}

async function readLimit(
  session: Session,
  query: Query,
  { tenant, scope, name }: Pick<DispatchRule, 'tenant' | 'scope' | 'name'>,
): Promise<DispatchRule | null> {
  const [row] = await query<LimitRow>(
    `SELECT ${COLUMNS} FROM ${session.database.tables}.limits v
     WHERE v.tenant = $1 AND v.scope = $2 AND v.name = $3`,
    [session.names.tenant(tenant), scope, name],
  );
  return row === undefined ? null : limitOf(session, row);
}

async function writeLimit(
  session: Session,
  query: Query,
  { limit, seen }: { limit: DispatchRule; seen: number | null },
): Promise<boolean> {
  const row = {
    is_paused: limit.isPaused,
    paused_until: limit.pausedUntil === null ? null : new Date(limit.pausedUntil).toISOString(),
    concurrency: limit.concurrency,
    throttle: limit.throttle,
    high_watermark: limit.highWatermark,
    low_watermark: limit.lowWatermark,
    is_shedding: limit.isShedding,
    reason: limit.reason,
    actor: limit.actor,
    updated_at: new Date(limit.updatedAt).toISOString(),
  };
  const isGone = limit.throttle === null && seen !== null && isIdle(limit);
  const [done] = await query<{ done: boolean }>(
    `SELECT ${session.database.verbs}.put_limit($1, $2, $3, $4, $5, $6) AS done`,
    [
      session.names.tenant(limit.tenant),
      limit.scope,
      limit.name,
      isGone ? null : JSON.stringify(row),
      seen,
      session.now(),
    ],
  );
  return done!.done;
}

export async function listLimits(session: Session, tenant: string | null): Promise<DispatchRule[]> {
  const number = tenant === null ? null : await session.tenantOf(tenant);
  if (tenant !== null && number === null) return [];
  const { tables } = session.database;
  const rows = await session.database.readAs<LimitRow & { readonly now: number }>(
    number,
    `SELECT ${COLUMNS}, ${tables}.now_ms($2) AS now
     FROM ${tables}.limits v JOIN ${tables}.tenants t ON t.number = v.tenant
     WHERE $1::int IS NULL OR v.tenant = $1 ORDER BY t.name COLLATE "C", v.scope, v.name`,
    { values: [number, session.now()] },
  );
  await session.names.learn(rows);
  return rows.map((row) => ruleAt(limitOf(session, row), row.now));
}

function limitOf(session: Session, row: LimitRow): DispatchRule {
  return {
    tenant: session.names.tenantName(row.tenant),
    scope: row.scope,
    name: row.name,
    isPaused: row.is_paused,
    pausedUntil: row.paused_until,
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

/** The verbs that slow types down, each a transaction of its own. */
export function controlOn(session: Session): ControlStore {
  return {
    ailing: (since) => listAiling(session, since),
    throttle: (change) => changeThrottle(session, change),
    trimRates: (trim) => trimRates(session, trim),
  };
}

interface TurnsRow {
  readonly tenant: number;
  readonly type: string;
  readonly at: number;
  readonly succeeded: number | null;
  readonly failed: number | null;
}

async function listAiling(session: Session, since: Instant): Promise<TypeHealth[]> {
  const { names, database } = session;
  const limits = (await listLimits(session, null)).filter(({ scope }) => scope === 'type');
  const turns = await database.ask<TurnsRow>('turns_since', [since]);
  await names.learn(turns);
  const found = new Map<string, { -readonly [Key in keyof TypeHealth]: TypeHealth[Key] }>();
  const healthOf = (
    tenant: string,
    type: string,
  ): typeof found extends Map<string, infer V> ? V : never => {
    const key = JSON.stringify([tenant, type]);
    const limit = limits.find((one) => one.tenant === tenant && one.name === type);
    const health = found.get(key) ?? {
      tenant,
      type,
      succeeded: 0,
      failed: 0,
      owned: 0,
      throttle: limit?.throttle ?? null,
      concurrency: limit?.concurrency ?? null,
    };
    found.set(key, health);
    return health;
  };
  for (const { tenant, name, throttle } of limits) if (throttle !== null) healthOf(tenant, name);
  for (const { tenant, type, at, succeeded, failed } of turns) {
    const health = healthOf(names.tenantName(tenant), type);
    if (health.throttle !== null && at < health.throttle.changedAt) continue;
    health.succeeded += succeeded ?? 0;
    health.failed += failed ?? 0;
  }
  const ailing = [...found.values()].filter(
    ({ failed, throttle }) => failed > 0 || throttle !== null,
  );
  for (const health of ailing) health.owned = await ownedOf(session, health);
  return ailing.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ tenant, type }: TypeHealth): string {
  return `${tenant}\n${type}`;
}

async function ownedOf(
  session: Session,
  { tenant, type }: { tenant: string; type: string },
): Promise<number> {
  const { tables } = session.database;
  const [row] = await session.database.read<{ count: number }>(
    `SELECT count(*) AS count FROM ${tables}.lanes l
     JOIN ${tables}.live j ON j.lane = l.number AND j.phase IN (2, 3)
     WHERE l.tenant = $1 AND l.type = $2`,
    [session.names.tenant(tenant), type],
  );
  return row!.count;
}

/** Like every change of a limit it waits for the claims under way, and so for other changes. */
async function changeThrottle(session: Session, change: ThrottleChange): Promise<boolean> {
  const { tenant, type, seen, next, actor } = change;
  await session.names.addTenants([tenant]);
  return transactRecords(session, async (query) => {
    const plan = planWrite(change.with, await lockRecords(session, query, change.with));
    if (plan.kind === 'refused') return false;
    await query(`SELECT pg_advisory_xact_lock(${session.database.verbs}.limits_lock())`);
    const ref = { tenant, scope: 'type', name: type } as const;
    const before = await readLimit(session, query, ref);
    const concurrency = next?.ceiling ?? seen?.bound ?? null;
    const now = await nowOf(session, query);
    const limit = { ...changedRule(before, { ...ref, actor, concurrency }, now), throttle: next };
    const isDone = await writeLimit(session, query, { limit, seen: seen?.changedAt ?? 0 });
    if (isDone) await saveRecords(session, query, plan.changes);
    return isDone;
  });
}

async function trimRates(session: Session, { after, limit }: RateTrim): Promise<RateTrimmed> {
  const [row] = await session.database.verb<{ trimmed: number; next: string | null }>(
    'trim_rates',
    [after, limit, RATE_IDLE_MS, session.now()],
  );
  return row!;
}
