import type { JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import { HEALTHY } from '../health.ts';
import type { MaintenanceStore, FailedType } from '../maintenance.ts';
import type { RecordKind } from '../records.ts';
import { matching } from './records.ts';
import { keyOf, type Tables } from './tables.ts';

/** The verbs over a transaction that the store begins and ends. */
export function maintenanceIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): MaintenanceStore {
  return {
    tenants: () =>
      transact(({ jobs }) => [...new Set(jobs.values().map(({ job }) => job.tenant))].toSorted()),
    figures: () =>
      transact(({ jobs }) => ({
        engine: 'memory',
        version: process.versions.node,
        settings: {},
        tables: [{ name: 'jobs', bytes: 0, rows: [...jobs.values()].length, deadRows: null }],
        freeBytes: null,
        logBytes: null,
        lost: null,
        daysAhead: null,
        server: null,
        replica: null,
        connection: null,
        connections: null,
      })),
    strays: (limit) =>
      transact((tables) => {
        const unended = new Map<string, JobRef>();
        for (const { tenant, jobId, phase } of tables.log.from(0)) {
          const key = keyOf(tenant, jobId);
          // Retention takes rows of ended jobs before their events.
          if (isTerminal(phase) || tables.jobs.get(key) !== undefined) unended.delete(key);
          else unended.set(key, { tenant, id: jobId });
        }
        return [...unended.values()].slice(0, limit);
      }),
    vitals: () => Promise.resolve({ tailLagMs: 0, gauges: {} }),
    failedTypes: (max, without) => transact((tables) => failedTypes(tables, max, without)),
    health: () => Promise.resolve(HEALTHY),
    checkRows: () => Promise.resolve({ rows: 0, damage: [], next: null }),
    quickCheck: () => Promise.resolve([]),
  };
}

function failedTypes(tables: Tables, max: number, kind: RecordKind): FailedType[] {
  const jobs = tables.jobs.values().map(({ job }) => job);
  const rerun = jobs.filter(({ parentKind }) => parentKind === 'rerun');
  const attended = new Set(rerun.map(({ tenant, parentJobId }) => keyOf(tenant, parentJobId!)));
  for (const { tenant, jobId } of matching(tables, { kind, tenants: null })) {
    if (jobId !== null) attended.add(keyOf(tenant, jobId));
  }
  const failed = jobs.filter(
    ({ tenant, id, phase }) =>
      (phase === 'failed' || phase === 'dead') && !attended.has(keyOf(tenant, id)),
  );
  const byType = Map.groupBy(failed.slice(0, max), ({ type }) => type);
  return [...byType]
    .map(([type, own]) => ({ type, count: own.length }))
    .toSorted((one, other) => (one.type < other.type ? -1 : 1));
}
