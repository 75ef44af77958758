import type { Fault } from './errors.ts';

/** What a type promises, as its author writes it; what is left out is not promised. */
export interface SloDefinition {
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly p99Ms?: number;
  /** The share of jobs that may fail, those by fault of their users left out. */
  readonly failureRateMax?: number;
  /** From the start to the end, or to the first piece of generated text. */
  readonly measures?: 'duration' | 'first_token';
}

const MS_MAX = 30 * 86_400_000;

/** Quantiles rise, times and shares are possible. */
export function checkSlo(slo: SloDefinition | undefined): Fault[] {
  if (slo === undefined) return [];
  const faults: Fault[] = [];
  const quantiles = (['p50Ms', 'p95Ms', 'p99Ms'] as const).filter(
    (name) => slo[name] !== undefined,
  );
  quantiles.forEach((name, index) => {
    const value = slo[name]!;
    const before = quantiles[index - 1];
    if (!(Number.isInteger(value) && value >= 1 && value <= MS_MAX)) {
      faults.push({
        pointer: `/slo/${name}`,
        message: `must be a whole number from 1 to ${MS_MAX}`,
      });
    } else if (before !== undefined && value < slo[before]!) {
      faults.push({ pointer: `/slo/${name}`, message: `must not be below ${before}` });
    }
  });
  const { failureRateMax: share = 1 } = slo;
  if (!(share > 0 && share <= 1)) {
    faults.push({ pointer: '/slo/failureRateMax', message: 'must be above 0 and at most 1' });
  }
  return faults;
}
