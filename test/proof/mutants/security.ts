// Takes controls away one by one, each in a copy of the tree, and sees whether a test turns red.
import type { Mutation } from '../../security/mutation.ts';
import { MUTATIONS } from '../../security/mutations.ts';
import type { Rung, Say } from '../figures.ts';
import { Plantation, staleness } from './plantation.ts';

/** Before anything is run: what has moved on since its mistake was thought of. */
function findStale(chosen: readonly Mutation[]): string[] {
  return chosen.flatMap((one) => {
    const stale = staleness(one);
    return stale === null ? [] : [`${one.control}, ${one.mistake}: ${stale}`];
  });
}

async function findRed(
  plantation: Plantation,
  chosen: readonly Mutation[],
  say: Say,
): Promise<string[]> {
  const problems: string[] = [];
  for (const tests of new Set(chosen.map((one) => one.tests))) {
    if (await plantation.isGreen(tests)) continue;
    problems.push(`${tests} is red without any mistake`);
    say(problems.at(-1)!);
  }
  return problems;
}

/** `npm run proof:mutants -- --security`, of one control with `--control S6`. */
export const runSecurityMutants: Rung = async (options, say) => {
  const control = options.text('control');
  const chosen = MUTATIONS.filter((one) => control === null || one.control === control);
  const controls = new Set(chosen.map((one) => one.control)).size;
  const stale = findStale(chosen);
  if (chosen.length === 0) stale.push(`no mistake is planted for a control "${control}"`);
  if (stale.length > 0) return { figures: { controls, planted: 0 }, violations: stale };
  const plantation = new Plantation();
  try {
    const violations = await findRed(plantation, chosen, say);
    let caught = 0;
    for (const one of chosen) {
      const isSeen = await plantation.isCaught(one, one.tests);
      caught += Number(isSeen);
      say(`${one.control.padEnd(4)} ${isSeen ? 'caught' : 'MISSED'}  ${one.mistake}`);
      if (!isSeen) violations.push(`${one.tests} did not notice that ${one.mistake}`);
    }
    return { figures: { controls, planted: chosen.length, caught }, violations };
  } finally {
    plantation.remove();
  }
};
