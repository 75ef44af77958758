import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { round, tableOf } from '../harness/markdown.ts';
import { median, spread } from '../harness/statistics.ts';
import type { Drained } from './measure.ts';

/** The runs of a store, each beside its neighbour in time. */
export interface Compared {
  readonly alone: readonly Drained[];
  readonly children: readonly Drained[];
}

export interface FlowsAsked extends Asked {
  readonly jobs: number;
  readonly waiting: number;
}

/** How children compare with jobs without a parent: one figure for each round. */
export function ratiosOf({ alone, children }: Compared, of: 'drain' | 'cpu' = 'drain'): number[] {
  return children.map((child, index) => child[of] / alone[index]![of]);
}

export function reportOf(
  stores: ReadonlyMap<string, Compared>,
  { command, loadBefore, jobs, waiting }: FlowsAsked,
): string {
  const lines = [...stores].flatMap(([label, compared]) => [
    lineOf(`${label}: jobs without a parent`, compared.alone, null),
    lineOf(`${label}: children of one parent`, compared.children, compared),
  ]);
  const rounds = [...stores.values()][0]!.alone.length;
  return [
    '# The children of one parent beside jobs without one',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${round(jobs)} jobs of one correlation id, ${rounds} rounds in turn, on new databases;`,
    `  one process claims and ends 500 at a time, and follows the log. ${round(waiting)} other`,
    '  jobs wait for a message. CPU is that of all processes, the database included; `woken` is',
    '  the time from the last end of a child to the end of its parent.',
    '',
    tableOf(
      ['', 'spawned/s', 'drained/s', 'of no parent', 'CPU, µs a job', 'of no parent', 'woken, ms'],
      lines,
    ),
  ].join('\n');
}

function lineOf(what: string, runs: readonly Drained[], compared: Compared | null): string[] {
  const of = (name: keyof Drained): string => round(median(runs.map((one) => one[name])));
  const ratio = (name: 'drain' | 'cpu'): string =>
    compared === null ? '' : spread(ratiosOf(compared, name), (one) => one.toFixed(2));
  return [
    what,
    of('spawn'),
    of('drain'),
    ratio('drain'),
    of('cpu'),
    ratio('cpu'),
    compared === null ? '' : of('wakeMs'),
  ];
}
