import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { grouped, type Rung } from '../figures.ts';
import { explore } from './explore.ts';

/** `--depth 12`, `--lifecycle task`, `--minutes 10`: all five to the end unless told otherwise. */
export const runExplore: Rung = async (options, say) => {
  const depthMax = options.number('depth', 12);
  const only = options.text('lifecycle');
  const isTimeLeft = options.isTimeLeft();
  const figures: Record<string, string> = {};
  const violations: string[] = [];
  for (const lifecycle of builtInLifecycles) {
    if (only !== null && lifecycle.name !== only) continue;
    const found = await explore({ lifecycle, depthMax, isStopped: () => !isTimeLeft() });
    const end = found.isWhole ? 'nothing new beyond' : 'more beyond';
    figures[lifecycle.name] =
      `${grouped(found.states)} states, ${grouped(found.steps)} steps tried, ` +
      `${grouped(found.moves)} of them moved it, depth ${found.depth} (${end}), ` +
      `${found.pairs} (place, action) and ${found.events} (place, event) pairs`;
    say(`${lifecycle.name}: ${figures[lifecycle.name]}`);
    violations.push(...found.problems.map((problem) => `${lifecycle.name}: ${problem}`));
  }
  return { figures, violations };
};
