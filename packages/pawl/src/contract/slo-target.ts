import type { SloDefinition } from '../core/slo.ts';

/** What a type promises, complete: null where nothing is promised. */
export interface SloTarget {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly failureRateMax: number;
  readonly measures: 'duration' | 'first_token';
}

/** Fewer than 2 % may fail, over seven days and whatever the type. */
const FAILURE_RATE_MAX = 0.02;

/** Default targets of some built-in types; the `slo` of a type overrides them. */
export const DEFAULT_TARGETS: Readonly<Record<string, SloDefinition>> = {
  convert: { p50Ms: 6_000, p95Ms: 15_000, p99Ms: 30_000 },
  export: { p50Ms: 4_000, p95Ms: 12_000, p99Ms: 25_000 },
  ai: { p50Ms: 1_200, p95Ms: 4_000, p99Ms: 8_000, measures: 'first_token' },
};

/** The targets of a type, given its definition as registered (or none). */
export function targetOf(type: string, definition: { slo?: SloDefinition } | null): SloTarget {
  const slo = definition?.slo ?? DEFAULT_TARGETS[type] ?? {};
  return {
    p50Ms: slo.p50Ms ?? null,
    p95Ms: slo.p95Ms ?? null,
    p99Ms: slo.p99Ms ?? null,
    failureRateMax: slo.failureRateMax ?? FAILURE_RATE_MAX,
    measures: slo.measures ?? 'duration',
  };
}
