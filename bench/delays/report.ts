import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import { median, percentile } from '../harness/statistics.ts';
import type { DelaysOptions, Lateness } from './measure.ts';

/** More processes than this that want a core, and the figures tell of them. */
const IDLE_LOAD_MAX = 1;

function line(what: string, late: readonly number[]): string[] {
  const figures = [median(late), percentile(late, 95), Math.max(...late)];
  return [what, ...figures.map((ms) => ms.toFixed(0))];
}

/** The report: one table for all stores. */
export function reportOf(
  stores: ReadonlyMap<string, Lateness>,
  { command, loadBefore, jobs, delayMs, backoffMs }: Asked & Omit<DelaysOptions, 'database'>,
): string {
  const lines = [...stores].flatMap(([label, { delayed, retried }]) => [
    line(`${label}: delays of ${delayMs.min} to ${delayMs.max} ms`, delayed),
    line(`${label}: retries after ${backoffMs} ms`, retried),
  ]);
  const busy =
    loadBefore <= IDLE_LOAD_MAX
      ? []
      : ['', 'Not an idle machine: the promise (a median under 50 ms) is for one that is.'];
  return [
    '# How late work begins that waits for its time',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${jobs} jobs of each sort, one at a time, in one process with one worker.`,
    ...busy,
    '',
    'Milliseconds between the time at which a job is due and the first line of its handler.',
    '',
    tableOf(['', 'median', 'p95', 'latest'], lines),
  ].join('\n');
}
