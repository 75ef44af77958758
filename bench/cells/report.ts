import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import type { CellCost, CellsOptions } from './measure.ts';

const HEADS = ['', 'µs each, no cells', 'time, one cell to none', 'CPU of the caller, one to none'];

export function reportOf(
  costs: readonly CellCost[],
  asked: Asked & CellsOptions & { conditions: string },
): string {
  const { command, loadBefore, conditions, rounds, singles, many } = asked;
  const lines = costs.map(({ verb, batch, usEach, wall, cpu }) => [
    batch === 1 ? verb : `${verb}, ${batch} a call`,
    usEach.toFixed(1),
    wall.toFixed(3),
    cpu.toFixed(3),
  ]);
  return [
    '# What cells cost',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${conditions}`,
    '- Two databases of one server, one of them as the only cell. They take turns: in each of',
    `  ${rounds} rounds ${singles} jobs go from the enqueue to the end one by one, and ${many}`,
    '  by the hundred. Ratios are medians over the rounds. At most 1.03 is wanted.',
    '',
    tableOf(HEADS, lines),
  ].join('\n');
}
