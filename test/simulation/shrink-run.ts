// From a failing seed to the few errands and faults that are enough to fail in the same way.
import { shrink } from '../support/world-shrink.ts';
import {
  type Remains,
  simulate,
  type SimulationOptions,
  type SimulationReport,
} from './simulate.ts';

const TRIES_MAX = 120;

export async function shrinkRun(
  options: SimulationOptions,
  failed: SimulationReport,
): Promise<{ remains: Remains; report: SimulationReport }> {
  const kind = kindOf(failed.problems[0]!);
  const failsWith = async (only: Remains): Promise<boolean> => {
    const { problems } = await simulate({ ...options, only });
    return problems.some((problem) => kindOf(problem) === kind);
  };
  const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const allFaults = new Set(range(failed.faultsDrawn));
  const errands = await shrink(
    range(failed.errands),
    (kept) => failsWith({ errands: new Set(kept), faults: allFaults }),
    TRIES_MAX,
  );
  const faults = await shrink(
    [...allFaults],
    (kept) => failsWith({ errands: new Set(errands), faults: new Set(kept) }),
    TRIES_MAX,
  );
  const remains = { errands: new Set(errands), faults: new Set(faults) };
  return { remains, report: await simulate({ ...options, only: remains }) };
}

/** The invariant that broke, or the first words of what was thrown. */
export function kindOf(problem: string): string {
  return problem.startsWith('thrown') ? problem.slice(0, 60) : problem.split(' ')[0]!;
}

/** A failed run in as few errands and faults as it takes, for whoever has to understand it. */
export async function explainRun(
  options: SimulationOptions,
  failed: SimulationReport,
): Promise<string> {
  const { remains, report } = await shrinkRun(options, failed);
  const { cast = 'plain' } = options;
  return [
    `seed ${options.seed} failed: ${failed.problems.slice(0, 5).join('\n')}`,
    `shrunk to ${remains.errands.size} errands and ${remains.faults.size} faults:`,
    ...report.problems.slice(0, 3),
    ...report.traceTail.slice(-60),
    `again: npm run proof:simulate -- --from ${options.seed} --seeds 1 --cast ${cast}`,
  ].join('\n');
}
