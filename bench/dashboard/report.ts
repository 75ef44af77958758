import { machineLines } from '../harness/machine.ts';
import { round, tableOf } from '../harness/markdown.ts';
import { percentile } from '../harness/statistics.ts';
import type { DashboardOptions } from './options.ts';
import type { Sight } from './run.ts';

const HEADS = [
  'page',
  'events/s',
  'frame p50',
  'p95',
  'p99',
  'longest',
  'longest task',
  'longest script',
  'changes/s',
  'elements',
  'heap MB',
  'layout shift',
];

function lineOf(sight: Sight): string[] {
  const { frames, longTasks, longScripts, seconds } = sight;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const longest = (values: readonly number[]): string =>
    values.length === 0 ? 'none' : ms(Math.max(...values));
  return [
    sight.name,
    round(sight.eventsPerSecond),
    ...[50, 95, 99, 100].map((percent) => ms(percentile(frames, percent))),
    longest(longTasks),
    longest(longScripts),
    (sight.changes / seconds).toFixed(1),
    round(sight.nodes),
    (sight.heapBytes / 1e6).toFixed(0),
    sight.shift.toFixed(3),
  ];
}

export function reportOf(sights: readonly Sight[], options: DashboardOptions): string {
  return [
    '# The dashboard under load',
    `\`${options.command}\``,
    [
      ...machineLines(options.loadBefore),
      `- ${round(options.jobs)} jobs in the store (SQLite), and ${round(options.eventsPerSecond)}`,
      '  events a second wanted; server, worker, load and a headless Chromium on the same cores,',
      '  without a graphics card. A screen of 60 Hz has a frame every 16.7 ms.',
      `- Each page was watched for ${options.seconds} s. A change is a moment in which the`,
      '  document was altered, however much of it; long tasks begin at 50 ms. The longest script',
      '  is the longest time that a callback of the page ran in a frame of more than 50 ms.',
    ].join('\n'),
    tableOf(HEADS, sights.map(lineOf)),
  ].join('\n\n');
}
