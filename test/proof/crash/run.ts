import type { Rung } from '../figures.ts';
import { crashEverywhere } from './crash.ts';
import { WORKFLOWS } from './workflows.ts';

/** `--workflow submit`: only that one. */
export const runCrash: Rung = async (options, say) => {
  const only = options.text('workflow');
  const figures: Record<string, number> = {};
  const violations: string[] = [];
  let total = 0;
  for (const name of Object.keys(WORKFLOWS).filter((one) => only === null || one === only)) {
    const report = await crashEverywhere(name);
    figures[name] = report.crashes;
    total += report.crashes;
    violations.push(...report.violations);
    say(`${name}: killed at ${report.crashes} points, ${report.violations.length} violations`);
  }
  return { figures: { ...figures, 'processes killed': total }, violations };
};
