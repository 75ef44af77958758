import { isOwned } from '../../core/phase.ts';
import { changedValve, type Valve, type ValveChange } from '../valve.ts';
import { deepFreeze, keyOf, type Row, type Tables } from './tables.ts';

export function putValve(tables: Tables, change: ValveChange): Valve {
  const key = keyOf(change.tenant, change.scope, change.name);
  const valve = changedValve(tables.valves.get(key) ?? null, change, tables.clock.now());
  tables.valves.set(key, deepFreeze(valve));
  return valve;
}

export function listValves(tables: Tables, tenant: string | null): Valve[] {
  return tables.valves
    .values()
    .filter((valve) => tenant === null || valve.tenant === tenant)
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function nameOf({ tenant, scope, name }: Valve): string {
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

function valvesOf(tables: Tables, { tenant, queue, type }: LaneName): Valve[] {
  const names = [keyOf(tenant, 'queue', queue), keyOf(tenant, 'type', type)];
  return names.flatMap((name) => tables.valves.get(name) ?? []);
}

export function isPaused(tables: Tables, lane: LaneName): boolean {
  return valvesOf(tables, lane).some((valve) => valve.isPaused);
}

/** How many more jobs of a lane may be owned. */
export function roomOf(tables: Tables, lane: LaneName): number {
  const rooms = valvesOf(tables, lane).flatMap(({ scope, name, tenant, concurrency }) => {
    if (concurrency === null) return [];
    const owned = tables.jobs
      .values()
      .filter(({ job }) => job.tenant === tenant && job[scope] === name && isOwned(job.phase));
    return [concurrency - owned.length];
  });
  return Math.max(0, Math.min(Infinity, ...rooms));
}
