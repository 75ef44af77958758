import { findBug } from '../../simulation/find-bug.ts';
import { PLANTED_BUGS } from '../../simulation/planted-bugs.ts';
import { findPlantedFlow, PLANTED_IN_FLOWS } from '../explore/flows/planted.ts';
import { findPlanted } from '../explore/find-planted.ts';
import { PLANTED_IN_SQLITE } from '../explore/planted.ts';
import type { Rung } from '../figures.ts';
import { findPlantedInFleet, PLANTED_IN_FLEET } from '../fleet/planted.ts';
import { findWeakSync } from '../power/find-weak-sync.ts';
import { runFlowMutants } from './flows.ts';
import { runRowMutants } from './rows.ts';
import { runSecurityMutants } from './security.ts';

const NOT_FOUND = 'NOT FOUND';

/** Every mistake that was planted, the rung that catches it, and what it says. */
export const runMutants: Rung = async (options, say) => {
  if (options.text('security') !== null) return runSecurityMutants(options, say);
  if (options.text('flows') !== null) return runFlowMutants(options, say);
  if (options.text('rows') !== null) return runRowMutants(options, say);
  const found: { bug: string; rung: string; told: string }[] = [];
  const note = (bug: string, rung: string, told: string | null): void => {
    found.push({ bug, rung, told: told ?? NOT_FOUND });
    say(`${rung.padEnd(9)} ${bug}: ${(told ?? NOT_FOUND).slice(0, 110)}`);
  };
  for (const [bug, planted] of Object.entries(PLANTED_BUGS)) {
    const told = await findBug(planted);
    note(bug, 'simulate', told === null ? null : `seed ${told.seed}: ${told.told}`);
  }
  for (const [bug, planted] of Object.entries(PLANTED_IN_SQLITE)) {
    note(bug, 'explore', await findPlanted(planted));
  }
  for (const [bug, planted] of Object.entries(PLANTED_IN_FLOWS)) {
    note(bug, 'explore', await findPlantedFlow(planted));
  }
  const weak = await findWeakSync();
  if (weak.kind === 'skipped') say(`power     skipped: ${weak.reason}`);
  else note('commits are not synchronised with the disk', 'power', weak.told);
  for (const [bug, planted] of Object.entries(PLANTED_IN_FLEET)) {
    note(bug, 'fleet', await findPlantedInFleet(planted));
  }
  const flows = await runFlowMutants(options, say);
  const rows = await runRowMutants(options, say);
  const missed = found.filter(({ told }) => told === NOT_FOUND);
  return {
    figures: {
      'planted in the engine': found.length,
      'caught there': found.length - missed.length,
      'planted in flows': flows.figures['planted'] ?? 0,
      ...rows.figures,
    },
    violations: [
      ...missed.map(({ bug, rung }) => `${rung} did not find that ${bug}`),
      ...flows.violations,
      ...rows.violations,
    ],
  };
};
