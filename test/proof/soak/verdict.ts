// Whether a soak was flat, from what was seen at each look.
import { growthOf } from './chart.ts';
import { type Measure, MEASURES, type SoakReport } from './soak.ts';

/** What may grow in the last third over the third before it: noise, and no leak. */
const GROWTH_MAX = 1.15;
/** Before that, things are still on their way to what is kept. */
const MINUTES_TO_TELL = 15;

export interface Verdict {
  /** In one line: flat, not flat, or that nothing can be said. */
  readonly told: string;
  readonly violations: readonly string[];
}

export function seriesOf({ looks }: Pick<SoakReport, 'looks'>, name: Measure): number[] {
  return looks.map((seen) => seen[name]);
}

/** A measure that is nothing was not taken, whatever its growth. */
export function judge(report: Pick<SoakReport, 'looks'>, minutes: number): Verdict {
  const untaken = MEASURES.filter((name) => !seriesOf(report, name).some((value) => value > 0));
  const violations = untaken.map((name) => `${name} was never seen to be more than 0`);
  if (minutes < MINUTES_TO_TELL) {
    return { told: `not judged: growth shows in ${MINUTES_TO_TELL} minutes or more`, violations };
  }
  for (const name of MEASURES) {
    const growth = growthOf(seriesOf(report, name));
    if (growth <= GROWTH_MAX) continue;
    violations.push(`${name} grew by × ${growth.toFixed(2)} in the last third`);
  }
  const limit = `the last third over the third before it, at most × ${GROWTH_MAX}`;
  return { told: `${violations.length === 0 ? 'flat' : 'NOT FLAT'}: ${limit}`, violations };
}
