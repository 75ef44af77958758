// Two runs of a seed that should have been the same, and the first line in which they are not.
import type { OpenStore } from '../support/world.ts';
import { simulate, type SimulationOptions } from './simulate.ts';

const LINES_BEFORE = 5;

/** The lines before it, and then the line of each; a text for whoever has to understand it. */
export async function tellWhere(
  run: Omit<SimulationOptions, 'open'>,
  one: OpenStore,
  other: OpenStore,
): Promise<string> {
  const [ours, theirs] = [
    await traceOf({ ...run, open: one }),
    await traceOf({ ...run, open: other }),
  ];
  const at = ours.findIndex((line, index) => line !== theirs[index]);
  if (at === -1) return `after ${ours.length} lines the other one went on: ${theirs[ours.length]}`;
  const before = ours.slice(Math.max(0, at - LINES_BEFORE), at);
  return [...before, `here: ${ours[at]}`, `there: ${theirs[at]}`].join('\n');
}

async function traceOf(run: SimulationOptions): Promise<readonly string[]> {
  const trace: string[] = [];
  await simulate({ ...run, trace });
  return trace;
}
