import type { Instant } from '../../core/clock.ts';
import type { Throttle } from '../../core/throttle.ts';
import {
  RATE_IDLE_MS,
  type RateTrim,
  type RateTrimmed,
  type ThrottleChange,
  type TypeHealth,
} from '../control.ts';
import { GATE, gateOfKey } from '../gate.ts';
import { planWrite } from '../record-write.ts';
import {
  changedRule,
  isIdle,
  type DispatchRule,
  type DispatchRuleChange,
  type DispatchScope,
  isExpected,
  ruleAt,
} from '../dispatch-rule.ts';
import { lanesNamed, ownedIn } from './counts.ts';
import type { Lane } from './names.ts';
import { saveRecords, writeContext } from './records.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

export function putDispatchRule(work: Work, change: DispatchRuleChange): DispatchRule | null {
  const before = limitOf(work, change);
  if (!isExpected(before, change, work.now)) return null;
  const rule = changedRule(before, change, work.now);
  save(work, rule);
  return rule;
}

type LimitRef = Pick<DispatchRule, 'tenant' | 'scope' | 'name'>;

function limitOf(work: Work, { tenant, scope, name }: LimitRef): DispatchRule | null {
  work.names.checkStays(tenant);
  const number = work.names.findTenant(tenant);
  const row = work.connection.sql('limit').get(number, scope, name);
  return row === undefined ? null : limitIn(work, row);
}

function save({ connection, names }: Work, rule: DispatchRule): void {
  const { throttle } = rule;
  connection
    .sql('put_limit')
    .run(
      names.makeTenant(rule.tenant),
      rule.scope,
      rule.name,
      Number(rule.isPaused),
      rule.pausedUntil,
      rule.concurrency,
      throttle && JSON.stringify(throttle),
      rule.highWatermark,
      rule.lowWatermark,
      Number(rule.isShedding),
      rule.reason,
      rule.actor,
      rule.updatedAt,
    );
}

export function listDispatchRules(work: Work, tenant: string | null): DispatchRule[] {
  const number = tenant === null ? null : work.names.findTenant(tenant);
  if (tenant !== null && number === null) return [];
  const rows = work.connection.sql('limits').all(number);
  return rows.map((row) => ruleAt(limitIn(work, row), work.now));
}

function limitIn({ names }: Work, row: Row): DispatchRule {
  const throttle = row['throttle'] as string | null;
  return {
    tenant: names.tenantName(row['tenant'] as number),
    scope: row['scope'] as DispatchScope,
    name: row['name'] as string,
    isPaused: row['is_paused'] === 1,
    pausedUntil: row['paused_until'] as number | null,
    concurrency: row['concurrency'] as number | null,
    throttle: throttle === null ? null : (JSON.parse(throttle) as Throttle),
    highWatermark: row['high_watermark'] as number | null,
    lowWatermark: row['low_watermark'] as number | null,
    isShedding: row['is_shedding'] === 1,
    reason: row['reason'] as string | null,
    actor: row['actor'] as string,
    updatedAt: row['updated_at'] as number,
  };
}

const SCOPES: readonly DispatchScope[] = ['queue', 'type'];

/** Says how many more jobs of a lane may be owned; null where it is paused. */
export function roomFor(work: Work): (lane: Lane) => number | null {
  const hasLimits = work.connection.sql('has_limits').get() !== undefined;
  return (lane) => (hasLimits ? roomIn(work, lane) : Infinity);
}

/** The owned jobs are few enough to count, and only where there is such a limit. */
function roomIn(work: Work, lane: Lane): number | null {
  let room = Infinity;
  for (const scope of SCOPES) {
    const limit = work.connection.sql('limit').get(lane.tenant, scope, lane[scope]);
    if (limit?.['is_paused'] === 1) {
      const until = limit['paused_until'] as number | null;
      if (until === null || work.now < until) return null;
    }
    const concurrency = (limit?.['concurrency'] ?? null) as number | null;
    if (concurrency === null) continue;
    const lanes = lanesNamed(work, lane.tenant, { [scope]: lane[scope] });
    room = Math.min(room, concurrency - ownedIn(work, lanes));
  }
  return Math.max(0, room);
}

/** How the turns of a type have ended in one slot. */
interface Turns {
  readonly tenant: number;
  readonly type: string;
  readonly at: Instant;
  readonly succeeded: number;
  readonly failed: number;
}

export function turnsSince({ connection, names }: Work, since: Instant): Turns[] {
  const rows = connection.sql('turns').all(since);
  return rows.map((row) => {
    const { tenant, type } = names.laneOf(row['lane'] as number);
    const succeeded = (row['succeeded'] ?? 0) as number;
    return {
      tenant,
      type,
      at: row['at'] as number,
      succeeded,
      failed: (row['failed'] ?? 0) as number,
    };
  });
}

export function listAiling(work: Work, since: Instant): TypeHealth[] {
  const throttled = listDispatchRules(work, null).filter(({ throttle }) => throttle !== null);
  const turns = turnsSince(work, since).map((one) => ({
    ...one,
    tenant: work.names.tenantName(one.tenant),
  }));
  const named = [...turns, ...throttled.map(({ tenant, name }) => ({ tenant, type: name }))];
  const types = new Map(
    named.map(({ tenant, type }) => [JSON.stringify([tenant, type]), { tenant, type }]),
  );
  return [...types.values()]
    .map((name) => healthOf(work, name, turns))
    .filter(({ failed, throttle }) => failed > 0 || throttle !== null)
    .sort((one, other) => compared(one.tenant, other.tenant) || compared(one.type, other.type));
}

function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function healthOf(
  work: Work,
  { tenant, type }: { tenant: string; type: string },
  turns: readonly (Omit<Turns, 'tenant'> & { readonly tenant: string })[],
): TypeHealth {
  const limit = limitOf(work, { tenant, scope: 'type', name: type });
  const throttle = limit?.throttle ?? null;
  const counted = turns.filter(
    (one) => one.tenant === tenant && one.type === type && one.at >= (throttle?.changedAt ?? 0),
  );
  return {
    tenant,
    type,
    succeeded: counted.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failed: counted.reduce((sum, { failed }) => sum + failed, 0),
    owned: ownedIn(work, lanesNamed(work, work.names.findTenant(tenant)!, { type })),
    throttle,
    concurrency: limit?.concurrency ?? null,
  };
}

export function changeThrottle(work: Work, change: ThrottleChange): boolean {
  const { tenant, type: name, seen, next, actor } = change;
  const ref = { tenant, scope: 'type' as const, name };
  const before = limitOf(work, ref);
  const plan = planWrite(change.with, writeContext(work));
  const isSeen = (before?.throttle?.changedAt ?? null) === (seen?.changedAt ?? null);
  if (!isSeen || plan.kind === 'refused') return false;
  const concurrency = next?.ceiling ?? seen?.bound ?? null;
  const rule = changedRule(before, { ...ref, actor, concurrency }, work.now);
  if (next === null && isIdle(rule)) {
    work.connection.sql('drop_limit').run(work.names.findTenant(tenant), 'type', name);
  } else {
    save(work, { ...rule, throttle: next });
  }
  saveRecords(work, plan.changes);
  return true;
}

export function trimRates({ connection, now }: Work, { after, limit }: RateTrim): RateTrimmed {
  const rows = connection.sql('rates_from').all(after ?? '', limit);
  const slowest = connection.sql('slowest_rates').get()!;
  const bounds: Readonly<Record<number, number>> = {
    [GATE.user]: (slowest['user'] ?? Infinity) as number,
    [GATE.organisation]: (slowest['organisation'] ?? Infinity) as number,
  };
  const full = rows.filter((row) => {
    const idleMs = now - Number(row['at']);
    const bound = bounds[gateOfKey(String(row['key']))]!;
    return idleMs >= RATE_IDLE_MS && Number(row['level']) <= idleMs * bound;
  });
  for (const row of full) connection.sql('drop_rate').run(row['key']!);
  return {
    trimmed: full.length,
    next: rows.length < limit ? null : String(rows.at(-1)!['key']),
  };
}
