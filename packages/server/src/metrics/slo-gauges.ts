import { type SloDependencies, type SloReport, sloReports } from '../slo/report.ts';
import { remembered } from './database-gauges.ts';
import type { Meter } from './meter.ts';
import type { GaugeName, LabelValues } from './registry.ts';

const KEPT_MS = 15_000;

const QUANTILES = [
  ['0.5', 'p50Ms'],
  ['0.95', 'p95Ms'],
  ['0.99', 'p99Ms'],
] as const;

type Sample<Name extends GaugeName> = { labels: LabelValues<Name>; value: number };

/** What was promised and what was kept, over all tenants. */
export function watchSlo(meter: Meter, deps: SloDependencies, keptMs: number = KEPT_MS): void {
  const look = remembered(() => sloReports(deps, { tenant: null }), keptMs);
  meter.collectWith(async () => {
    const reports = await look();
    setDurations(meter, reports);
    setFailures(meter, reports);
  });
}

function setDurations(meter: Meter, reports: readonly SloReport[]): void {
  meter.set(
    'pawl_slo_duration_seconds',
    reports.flatMap(({ type: job_type, windows }) =>
      windows.flatMap((one) =>
        QUANTILES.flatMap(([quantile, member]): Sample<'pawl_slo_duration_seconds'>[] => {
          const labels = { job_type, window: one.window, quantile };
          return one[member] === null ? [] : [{ labels, value: one[member] / 1_000 }];
        }),
      ),
    ),
  );
  meter.set(
    'pawl_slo_duration_target_seconds',
    reports.flatMap(({ type: job_type, target }) =>
      QUANTILES.flatMap(([quantile, member]) => {
        const value = target[member];
        return value === null ? [] : [{ labels: { job_type, quantile }, value: value / 1_000 }];
      }),
    ),
  );
}

function setFailures(meter: Meter, reports: readonly SloReport[]): void {
  const byWindow = (member: 'failureRate' | 'burnRate') =>
    reports.flatMap(({ type: job_type, windows }) =>
      windows.flatMap(({ window, [member]: value }) =>
        value === null ? [] : [{ labels: { job_type, window }, value }],
      ),
    );
  meter.set('pawl_slo_failure_ratio', byWindow('failureRate'));
  meter.set('pawl_slo_burn_rate', byWindow('burnRate'));
  const byType = (valueOf: (report: SloReport) => number) =>
    reports.map((report) => ({ labels: { job_type: report.type }, value: valueOf(report) }));
  meter.set(
    'pawl_slo_failure_target_ratio',
    byType(({ target }) => target.failureRateMax),
  );
  meter.set(
    'pawl_slo_error_budget_remaining_ratio',
    byType(({ errorBudgetRemaining }) => errorBudgetRemaining),
  );
  meter.set(
    'pawl_slo_alert',
    reports.flatMap(({ type: job_type, alerts }) =>
      alerts.map(({ name: alert, isFiring }) => ({
        labels: { job_type, alert },
        value: Number(isFiring),
      })),
    ),
  );
}
