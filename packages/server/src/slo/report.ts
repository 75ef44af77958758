import type { EndSum, Outcome } from 'pawl/internal/records/ends';
import type { Records } from 'pawl/internal/records/records';
import type { Store } from 'pawl/internal/store/store';
import { quantileMs } from 'pawl/internal/core/bins';
import { registeredTargets } from './registered.ts';
import { type SloTarget, targetOf } from 'pawl/internal/contract/slo-target';
import {
  type AlertName,
  ALERTS,
  PROMISED,
  startOf,
  type WindowName,
  WINDOWS,
} from 'pawl/internal/contract/slo-window';

/** What was measured of a type over one rolling window. */
export interface SloWindow {
  readonly window: WindowName;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Of jobs that succeeded; null where there are none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  /** Of those that succeeded or failed; null where there are none. */
  readonly failureRate: number | null;
  /** The failure rate as a multiple of what is allowed. */
  readonly burnRate: number | null;
}

/** How a type keeps its promises; `isMet` null where nothing is promised or nothing was seen. */
export interface SloReport {
  readonly type: string;
  readonly target: SloTarget;
  readonly windows: readonly SloWindow[];
  readonly isMet: {
    readonly p50: boolean | null;
    readonly p95: boolean | null;
    readonly p99: boolean | null;
    readonly failureRate: boolean | null;
  };
  /** What is left of the failures that seven days allow: 1 all, 0 none, below 0 overspent. */
  readonly errorBudgetRemaining: number;
  readonly alerts: readonly { readonly name: AlertName; readonly isFiring: boolean }[];
}

/** Where counts and targets are read. */
export interface SloDependencies {
  readonly store: Pick<Store, 'now'>;
  readonly records: Pick<Records, 'ends' | 'types'>;
}

/** Of one tenant, or over all of them (null); of every type that is registered or was seen. */
export async function sloReports(
  { store, records }: SloDependencies,
  asked: { tenant: string | null; type?: string },
): Promise<SloReport[]> {
  const { tenant, type } = asked;
  const now = await store.now();
  const targets = await registeredTargets(records, tenant);
  const sums = await Promise.all(
    WINDOWS.map(async ({ name, ms, grain }) => {
      const since = startOf(now - ms, grain);
      const ends = await records.ends.sum({ tenant, grain, since });
      return { name, byType: Map.groupBy(ends, (end) => end.type) };
    }),
  );
  const seen = sums.flatMap(({ byType }) => [...byType.keys()]);
  const types = [...new Set([...targets.keys(), ...seen])].toSorted();
  return types
    .filter((one) => type === undefined || one === type)
    .map((one) => {
      const target = targets.get(one) ?? targetOf(one, null);
      const windows = sums.map(({ name, byType }) => windowOf(name, byType.get(one) ?? [], target));
      return reportOf(one, target, windows);
    });
}

function windowOf(window: WindowName, ends: readonly EndSum[], target: SloTarget): SloWindow {
  const counts = { succeeded: 0, failed: 0, refused: 0, cancelled: 0 };
  for (const { outcome, count } of ends) counts[outcome] += count;
  const bins = ends.flatMap(({ outcome, bin, count }) =>
    outcome === 'succeeded' && bin !== null ? [{ bin, count }] : [],
  );
  const total = counts.succeeded + counts.failed;
  const failureRate = total === 0 ? null : counts.failed / total;
  return {
    window,
    counts,
    p50Ms: quantileMs(bins, 0.5),
    p95Ms: quantileMs(bins, 0.95),
    p99Ms: quantileMs(bins, 0.99),
    failureRate,
    burnRate: failureRate === null ? null : failureRate / target.failureRateMax,
  };
}

function reportOf(type: string, target: SloTarget, windows: readonly SloWindow[]): SloReport {
  const promised = windows.find(({ window }) => window === PROMISED)!;
  const burnRateIn = (name: WindowName): number =>
    windows.find(({ window }) => window === name)?.burnRate ?? 0;
  const isBelow = (value: number | null, max: number | null): boolean | null =>
    value === null || max === null ? null : value <= max;
  return {
    type,
    target,
    windows,
    isMet: {
      p50: isBelow(promised.p50Ms, target.p50Ms),
      p95: isBelow(promised.p95Ms, target.p95Ms),
      p99: isBelow(promised.p99Ms, target.p99Ms),
      failureRate:
        promised.failureRate === null ? null : promised.failureRate < target.failureRateMax,
    },
    errorBudgetRemaining: 1 - (promised.burnRate ?? 0),
    alerts: ALERTS.map(({ name, long, short, burnRate }) => ({
      name,
      isFiring: burnRateIn(long) >= burnRate && burnRateIn(short) >= burnRate,
    })),
  };
}
