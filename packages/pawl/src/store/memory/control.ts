import { isOwned } from '../../core/phase.ts';
import type { Instant } from '../../core/clock.ts';
import type { Rate } from '../../core/limits.ts';
import {
  type ControlStore,
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
import { isIdle } from '../dispatch-rule.ts';
import { saveRecords, writeContext } from './records.ts';
import { deepFreeze, keyOf, type Tables } from './tables.ts';
import { putDispatchRule } from './dispatch-rule.ts';

export function controlIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): ControlStore {
  return {
    ailing: (since) => transact((tables) => ailing(tables, since)),
    throttle: (change) => transact((tables) => throttle(tables, change)),
    trimRates: (trim) => transact((tables) => trimRates(tables, trim)),
  };
}

/** Counts a move that was made. */
export function countTurn(tables: Tables, move: Move, type: string): void {
  const end = turnEndOf(move);
  if (end === null) return;
  tables.turns.append({ tenant: move.tenant, type, at: slotOf(tables.clock.now()), end });
}

export function turnsOf(
  tables: Tables,
  { tenant, type }: { tenant: string; type: string },
  since: Instant,
): Pick<TypeHealth, 'succeeded' | 'failed'> {
  const own = tables.turns
    .from(0)
    .filter((one) => one.tenant === tenant && one.type === type && one.at >= since);
  const succeeded = own.filter(({ end }) => end === 'succeeded').length;
  return { succeeded, failed: own.length - succeeded };
}

function ailing(tables: Tables, since: Instant): TypeHealth[] {
  const throttled = tables.rules.values().filter((rule) => rule.throttle !== null);
  const names = new Map(
    [
      ...tables.turns.from(0).map(({ tenant, type }) => ({ tenant, type })),
      ...throttled.map(({ tenant, name }) => ({ tenant, type: name })),
    ].map((name) => [keyOf(name.tenant, name.type), name]),
  );
  return [...names.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, name]) => healthOf(tables, name, since))
    .filter(({ failed, throttle: one }) => failed > 0 || one !== null);
}

function healthOf(
  tables: Tables,
  name: { tenant: string; type: string },
  since: Instant,
): TypeHealth {
  const { tenant, type } = name;
  const rule = tables.rules.get(keyOf(tenant, 'type', type));
  const throttle = rule?.throttle ?? null;
  const owned = tables.jobs
    .values()
    .filter(({ job }) => job.tenant === tenant && job.type === type && isOwned(job.phase));
  return {
    tenant,
    type,
    ...turnsOf(tables, name, Math.max(since, throttle?.changedAt ?? 0)),
    owned: owned.length,
    throttle,
    concurrency: rule?.concurrency ?? null,
  };
}

function throttle(tables: Tables, change: ThrottleChange): boolean {
  const { tenant, type, seen, next, actor } = change;
  const key = keyOf(tenant, 'type', type);
  const before = tables.rules.get(key)?.throttle ?? null;
  const plan = planWrite(change.with, writeContext(tables));
  if (before?.changedAt !== seen?.changedAt || plan.kind === 'refused') return false;
  const concurrency = next?.ceiling ?? seen?.bound ?? null;
  const rule = putDispatchRule(tables, { tenant, scope: 'type', name: type, actor, concurrency })!;
  if (next === null && isIdle(rule)) tables.rules.delete(key);
  else tables.rules.set(key, deepFreeze({ ...rule, throttle: next }));
  saveRecords(tables, plan.changes);
  return true;
}

function trimRates(tables: Tables, { after, limit }: RateTrim): RateTrimmed {
  const now = tables.clock.now();
  const seen = tables.rates
    .values()
    .filter(({ key, nextAt }) => nextAt === null && key > (after ?? ''))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, limit);
  const full = seen.filter(
    ({ key, level, at }) =>
      now - at >= RATE_IDLE_MS && level <= (now - at) * slowest(tables, gateOfKey(key)),
  );
  for (const { key } of full) tables.rates.delete(key);
  return { trimmed: full.length, next: seen.length < limit ? null : seen.at(-1)!.key };
}

/** Tokens a millisecond. */
function slowest(tables: Tables, gate: number): number {
  const name = gate === GATE.user ? 'perUser' : 'perOrganisation';
  const rates = tables.policies.from(0).flatMap(({ limits }) => limits?.rate?.[name] ?? []);
  return Math.min(Infinity, ...rates.map(({ max, perMs }: Rate) => max / perMs));
}
