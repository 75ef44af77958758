import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { grouped, type Rung } from '../figures.ts';
import { type Exploration, explore } from './explore.ts';
import { exploreFlows } from './flows/explore.ts';

/** Lifecycles in which a job can wait. */
const WAITING = ['task', 'process', 'distributed'];

/**
 * `--depth 12`, `--lifecycle task`, `--minutes 10`: one job in each of the five. With `--flows`: a
 * parent in each that can wait, with two children.
 */
export const runExplore: Rung = async (options, say) => {
  const depthMax = options.number('depth', 12);
  const only = options.text('lifecycle');
  const isTimeLeft = options.isTimeLeft();
  const figures: Record<string, string> = {};
  const violations: string[] = [];
  const isStopped = (): boolean => !isTimeLeft();
  const areFlows = options.text('flows') !== null;
  for (const lifecycle of builtInLifecycles) {
    const { name } = lifecycle;
    if ((only !== null && name !== only) || (areFlows && !WAITING.includes(name))) continue;
    const found: Exploration = areFlows
      ? await exploreFlows({ lifecycle: name, depthMax, isStopped })
      : await explore({ lifecycle, depthMax, isStopped });
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
