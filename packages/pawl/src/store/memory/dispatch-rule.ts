import { isOwned } from '../../core/phase.ts';
import {
  changedRule,
  type DispatchRule,
  type DispatchRuleChange,
  isExpected,
  ruleAt,
} from '../dispatch-rule.ts';
import { deepFreeze, keyOf, type Row, type Tables } from './tables.ts';

export function putDispatchRule(tables: Tables, change: DispatchRuleChange): DispatchRule | null {
  const key = keyOf(change.tenant, change.scope, change.name);
  const before = tables.rules.get(key) ?? null;
  if (!isExpected(before, change, tables.clock.now())) return null;
  const rule = changedRule(before, change, tables.clock.now());
  tables.rules.set(key, deepFreeze(rule));
  return rule;
}

export function listDispatchRules(tables: Tables, tenant: string | null): DispatchRule[] {
  return tables.rules
    .values()
    .filter((rule) => tenant === null || rule.tenant === tenant)
    .map((rule) => ruleAt(rule, tables.clock.now()))
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function nameOf({ tenant, scope, name }: DispatchRule): string {
  return `${tenant}\n${scope}\n${name}`;
}

export function depthOf(
  tables: Tables,
  { tenant, queue }: { tenant: string; queue: string },
  max: number,
): number {
  const ready = tables.jobs
    .values()
    .filter(
      ({ job, isOpen, parkedAt }) =>
        job.tenant === tenant && job.queue === queue && (isOpen || parkedAt !== null),
    );
  return Math.min(max, ready.length);
}

type LaneName = Pick<Row['job'], 'tenant' | 'queue' | 'type'>;

function rulesOf(tables: Tables, { tenant, queue, type }: LaneName): DispatchRule[] {
  const names = [keyOf(tenant, 'queue', queue), keyOf(tenant, 'type', type)];
  return names.flatMap((name) => tables.rules.get(name) ?? []);
}

export function isPaused(tables: Tables, lane: LaneName): boolean {
  const now = tables.clock.now();
  return rulesOf(tables, lane).some((rule) => ruleAt(rule, now).isPaused);
}

/** How many more jobs of a lane may be owned. */
export function roomOf(tables: Tables, lane: LaneName): number {
  const rooms = rulesOf(tables, lane).flatMap(({ scope, name, tenant, concurrency }) => {
    if (concurrency === null) return [];
    const owned = tables.jobs
      .values()
      .filter(({ job }) => job.tenant === tenant && job[scope] === name && isOwned(job.phase));
    return [concurrency - owned.length];
  });
  return Math.max(0, Math.min(Infinity, ...rooms));
}
