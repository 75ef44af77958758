import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import { median } from '../harness/statistics.ts';
import type { LongRunOptions } from './options.ts';
import type { LongRun, Price } from './run.ts';
import type { Chapter, Line } from './watch.ts';

export function reportOf(runs: readonly LongRun[], options: LongRunOptions): string {
  return [
    '# A long run: what stays behind',
    `\`${options.command}\``,
    introduction(options).join('\n'),
    ...runs.map(sectionOf),
  ].join('\n\n');
}

function introduction({ perSecond, dayMs, loadBefore }: LongRunOptions): string[] {
  return [
    ...machineLines(loadBefore),
    `- ${perSecond} jobs a second come in and are worked off: lifecycle \`task\`, 100 bytes of`,
    '  input, three events each; one in 10 has an idempotency key, one in 5 writes a note, one in',
    '  50 leaves a dead letter. The sweeper is the product’s own, once a second.',
    `- A day takes ${dayMs / 1_000} seconds by the clock that the store is given; everything is`,
    '  kept for one day, dead letters for two. Vacuum knows nothing of that clock.',
    '- *held open*: somebody’s transaction stays open all the while, then it is *let go*.',
    '- Claim times are those of calls that found jobs, at most 50 each.',
  ];
}

function sectionOf(run: LongRun): string {
  return [
    `## ${run.name}`,
    [...run.conditions, `${run.jobs.toLocaleString('en')} jobs in all`, ...run.summary]
      .map((line) => `- ${line}`)
      .join('\n'),
    '### Is it flat?',
    flatness(run.lines),
    '### By time',
    linesOf(run.lines),
    '### What the purge costs',
    priceOf(run.price),
  ].join('\n\n');
}

const MEASURES: Readonly<Record<string, (line: Line) => number>> = {
  'jobs a second': (line) => line.jobsPerSecond,
  'claim p50 ms': (line) => line.claimMs.p50,
  'claim p99 ms': (line) => line.claimMs.p99,
};

export function measuresOf(lines: readonly Line[]): [string, (line: Line) => number][] {
  const names = Object.keys(lines[0]?.reading ?? {});
  return [
    ...Object.entries(MEASURES),
    ...names.map((name): [string, (line: Line) => number] => [name, (line) => line.reading[name]!]),
  ];
}

/** The middle of the first and of the last half of the steady lines, and what came after. */
function flatness(lines: readonly Line[]): string {
  const of = (chapter: Chapter): Line[] => lines.filter((line) => line.chapter === chapter);
  const steady = of('steady');
  const early = steady.slice(0, Math.ceil(steady.length / 2));
  const late = steady.slice(Math.ceil(steady.length / 2));
  const letGo = of('let go');
  const ends = [early, late, of('held open').slice(-1), letGo.slice(-Math.ceil(letGo.length / 2))];
  if (ends.some((some) => some.length === 0)) return 'Too short a run to tell.';
  const rows = measuresOf(lines)
    .filter(([name]) => !name.startsWith('WAL written'))
    .map(([name, read]) => {
      const values = ends.map((some) => median(some.map(read)));
      return [name, ...values.map(shown), ratio(values[1]!, values[0]!)];
    });
  const head = [
    '',
    'steady, 1st half',
    'steady, 2nd half',
    'end of held open',
    'let go, 2nd half',
    '2nd ÷ 1st',
  ];
  return tableOf(head, rows);
}

export function linesOf(lines: readonly Line[]): string {
  const measures = measuresOf(lines);
  const head = ['chapter', 's', ...measures.map(([name]) => name)];
  const rows = lines.map((line) => [
    line.chapter,
    String(Math.round(line.seconds)),
    ...measures.map(([, read]) => shown(read(line))),
  ]);
  return tableOf(head, rows);
}

function priceOf({ kept, purged }: Price): string {
  const rows = [
    ['without', kept],
    ['with', purged],
  ] as const;
  const text = rows.map(([name, values]) => [
    name,
    ...values.map(shown),
    shown(median(values)),
    ratio(median(values), median(kept)),
  ]);
  const turns = kept.map((_, index) => `turn ${index + 1}`);
  const table = tableOf(['full lives a second', ...turns, 'median', '÷ without'], text);
  return `Flat out, in turns; before a turn with the purge, it has a day to catch up.\n\n${table}`;
}

export function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
}

export function ratio(value: number, base: number): string {
  return base === 0 ? '–' : (value / base).toFixed(2);
}
