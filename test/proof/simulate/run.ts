import { regressionSeeds } from '../../simulation/regression-seeds.ts';
import { explainRun } from '../../simulation/shrink-run.ts';
import { simulate, type SimulationOptions } from '../../simulation/simulate.ts';
import { sqliteInline } from '../../support/world-stores.ts';
import type { Rung } from '../figures.ts';
import { Totals } from './totals.ts';

const VIOLATIONS_MAX = 5;
const TOLD_EVERY = 500;

/**
 * `--seeds 1000 --from 100000 --minutes 10 --twice 10 --cast plain`: so many seeds, with a swarm of
 * casts unless told otherwise; each, or with `twice` every so manieth, must repeat itself.
 */
export const runSimulate: Rung = async (options, say) => {
  const count = options.number('seeds', 1_000);
  const from = options.number('from', 100_000);
  const cast = options.text('cast') === 'plain' ? 'plain' : 'swarm';
  const twiceEvery = options.number('twice', 1);
  const isTimeLeft = options.isTimeLeft();
  const totals = new Totals();
  const violations: string[] = [];
  let repeated = 0;
  const play = async (run: SimulationOptions, isTwice: boolean): Promise<void> => {
    const report = await simulate({ ...run, coverage: totals.coverage });
    totals.add(report);
    if (report.problems.length > 0) violations.push(await explainRun(run, report));
    if (!isTwice) return;
    repeated += 1;
    const again = await simulate(run);
    if (again.traceHash === report.traceHash) return;
    violations.push(`seed ${run.seed} did not repeat itself`);
  };
  const { open } = sqliteInline;
  for (const seed of regressionSeeds) await play({ seed, open }, true);
  for (let seed = from; seed < from + count; seed++) {
    if (!isTimeLeft() || violations.length >= VIOLATIONS_MAX) break;
    await play({ seed, open, cast }, (seed - from) % twiceEvery === 0);
    if (totals.seeds % TOLD_EVERY === 0) say(`${totals.seeds} seeds, ${totals.steps} steps`);
  }
  return {
    figures: {
      seeds: `${totals.seeds}, from ${from} on, after ${regressionSeeds.length} that once failed`,
      steps: totals.steps,
      'run twice': repeated,
      jobs: totals.jobs,
      operations: `${totals.operations}, of which ${totals.ok} were acknowledged`,
      faults: `${totals.faultCount}: ${totals.faultTable}`,
      rows: totals.coverage.summary,
      'rows never taken': totals.coverage.missing.join('; ') || 'none',
      '(place, event)': `${totals.pairs.size} pairs`,
    },
    violations,
  };
};
