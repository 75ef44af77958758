import { median, spread } from '../harness/statistics.ts';
import type { Reading } from './run.ts';

/** What was measured, by contender and by what it is a measure of. */
export class Figures {
  readonly #readings: readonly Reading[];

  constructor(readings: readonly Reading[]) {
    this.#readings = readings;
  }

  values(contender: string, measure: string): number[] {
    return this.#of(contender, measure).map(({ value }) => value);
  }

  /** Null where nothing was measured. */
  median(contender: string, measure: string): number | null {
    const values = this.values(contender, measure);
    return values.length === 0 ? null : median(values);
  }

  /** The median with its range; a star where it was stopped at the cap. */
  cell(contender: string, measure: string): string {
    const own = this.#of(contender, measure);
    if (own.length === 0) return '–';
    const values = own.map(({ value }) => value);
    const star = own.some(({ isCapped }) => isCapped) ? '\\*' : '';
    return `${spread(values, numeral)}${star}`;
  }

  #of(contender: string, measure: string): Reading[] {
    return this.#readings.filter(
      (each) => each.contender === contender && each.measure === measure,
    );
  }
}

/** Three digits that matter, or all before the point. */
function numeral(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}
