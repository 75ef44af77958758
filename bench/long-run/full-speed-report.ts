import { type Panel, lineChart } from '../harness/line-chart.ts';
import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import { median } from '../harness/statistics.ts';
import type { FullSpeed } from './full-speed.ts';
import type { LongRunOptions } from './options.ts';
import { linesOf, measuresOf, ratio, shown } from './report.ts';

/** A file beside the report. */
export interface Chart {
  readonly file: string;
  readonly svg: string;
}

export function fullSpeedReport(runs: readonly FullSpeed[], options: LongRunOptions): string {
  return [
    '# At full speed with retention on: what stays behind',
    `\`${options.command}\``,
    introduction(options).join('\n'),
    ...runs.map((run) => sectionOf(run, options)),
    '## Not measured',
    NOT_MEASURED.join('\n'),
  ].join('\n\n');
}

function introduction({ dayMs, loadBefore }: LongRunOptions): string[] {
  return [
    ...machineLines(loadBefore),
    '- One process enqueues, claims and settles as fast as it goes, 100 jobs a call: lifecycle',
    '  `task`, 100 bytes of input, three events each; one in 10 has an idempotency key, one in 5',
    '  writes a note, one in 50 leaves a dead letter. The sweeper is the product’s own, once a',
    '  second, beside it.',
    `- A day takes ${dayMs / 1_000} seconds by the clock that the store is given; everything is`,
    '  kept for one day, dead letters for two. Vacuum knows nothing of that clock.',
    '- One run on each store. Flat means: the last third is where the middle third was; the first',
    '  fills up what is kept.',
  ];
}

const NOT_MEASURED = [
  '- A fleet: one process makes the load, so the database has room left.',
  '- Transactions that stay open meanwhile: see `bench:long-run` without `--full-speed`.',
];

/** The chart has all readings, the table one in so many. */
const LINE_EVERY = 5;

function sectionOf(run: FullSpeed, options: LongRunOptions): string {
  const rate = (run.jobs * 1_000) / options.fullSpeedMs!;
  return [
    `## ${run.name}`,
    [...run.conditions, `${shown(run.jobs)} jobs in all, ${shown(rate)} a second`, ...run.summary]
      .map((line) => `- ${line}`)
      .join('\n'),
    `![${run.name} at full speed](${fileOf(run)})`,
    '### Is it flat?',
    flatness(run),
    '### By time',
    linesOf(run.lines.filter((_, index) => index % LINE_EVERY === 0)),
  ].join('\n\n');
}

/** The middle of the middle third beside that of the last. */
function flatness({ lines }: FullSpeed): string {
  const third = Math.floor(lines.length / 3);
  if (third === 0) return 'Too short a run to tell.';
  const rows = measuresOf(lines)
    .filter(([name]) => !name.startsWith('WAL written'))
    .map(([name, read]) => {
      const of = (from: number): number => median(lines.slice(from, from + third).map(read));
      const [middle, last] = [of(third), of(lines.length - third)];
      const most = Math.max(...lines.map(read));
      return [name, shown(middle), shown(last), ratio(last, middle), shown(most)];
    });
  return tableOf(['', 'middle third', 'last third', 'last ÷ middle', 'most'], rows);
}

/** What is drawn, by the store's readings; each title with the names of its lines. */
const PANELS: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  PostgreSQL: [
    ['jobs a second', ['jobs a second']],
    ['dead rows', ['dead rows', 'dead keys']],
    ['jobs that have not ended, MB', ['live MB', 'its indexes MB', 'claim index MB']],
    ['history, MB', ['jobs MB', 'log MB', 'notes MB']],
    ['whole database and its log, MB', ['database MB', 'WAL files MB']],
  ],
  SQLite: [
    ['jobs a second', ['jobs a second']],
    ['file and log, MB', ['file MB', 'free in it MB', 'log MB']],
    ['rows kept', ['jobs', 'entries', 'notes']],
  ],
};

export function chartsOf(runs: readonly FullSpeed[]): Chart[] {
  return runs.map((run) => {
    const measures = new Map(measuresOf(run.lines));
    const panels = PANELS[run.name]!.map(([title, names]): Panel => {
      const lines = names.map((name) => ({ name, values: run.lines.map(measures.get(name)!) }));
      return { title, lines };
    });
    const seconds = run.lines.map((line) => line.seconds);
    const title = `${run.name} at full speed with retention on`;
    return { file: fileOf(run), svg: lineChart(title, seconds, panels) };
  });
}

function fileOf({ name }: FullSpeed): string {
  return `full-speed-${name.toLowerCase()}.svg`;
}
