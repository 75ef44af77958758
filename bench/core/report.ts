import { machineLines } from '../harness/machine.ts';
import { round, tableOf } from '../harness/markdown.ts';
import { median, spread } from '../harness/statistics.ts';
import type { Field } from './field.ts';
import type { Kind, Measured } from './measure.ts';
import type { BenchOptions } from './options.ts';

/** What one field's contenders reached. */
export interface Result {
  readonly field: Pick<Field, 'name' | 'conditions'>;
  readonly measured: readonly Measured[];
}

export function reportOf(results: readonly Result[], options: BenchOptions): string {
  return [
    '# The hot path, measured',
    `\`${options.command}\``,
    introduction(options).join('\n'),
    ...results.map(sectionOf),
  ].join('\n\n');
}

function introduction(options: BenchOptions): string[] {
  const { workload } = options;
  const { jobs, repeats, latencyJobs } = workload;
  return [
    ...machineLines(options.loadBefore),
    `- Jobs a second, ${jobs} jobs a measurement, median of ${repeats} (smallest–largest). The`,
    '  contenders take turns after every column; every repeat begins with another one.',
    '- A life is enqueue, claim, complete, one verb after the other: jobs by the sum of the times.',
    '  Three events a job, 100 bytes of input, lifecycle `task`.',
    `- Latency: ${latencyJobs} jobs at idle, from before the enqueue until the same caller’s claim`,
    '  has the job in flight; no wake-up and no polling is in it.',
    '- Differences below a fifth are noise on a shared machine; compare columns of one run only.',
  ];
}

const BASE = 'bare loop, with all';

function sectionOf({ field, measured }: Result): string {
  const measures = [...measured[0]!.series.rate.keys()];
  const parts = [
    `## ${field.name}`,
    field.conditions.map((line) => `- ${line}`).join('\n'),
    '### Jobs a second',
    spreadsOf(measured, 'rate', round),
    ...sharesOf(measured, measures),
    '### CPU of this process (all threads; no database server), µs a job',
    spreadsOf(measured, 'cpu', (value) => value.toFixed(1)),
    '### Latency at idle, ms',
    spreadsOf(measured, 'latency', (value) => value.toFixed(2)),
  ];
  const growth = growthOf(measured, measures);
  return [
    ...parts,
    ...(growth === null ? [] : ['### Growth: with the rows ÷ without', growth]),
  ].join('\n\n');
}

function spreadsOf(
  measured: readonly Measured[],
  kind: Kind,
  text: (value: number) => string,
): string {
  const measures = [...measured[0]!.series[kind].keys()];
  return tableFor(measured, measures, ({ series }, name) => spread(series[kind].get(name)!, text));
}

function tableFor(
  measured: readonly Measured[],
  measures: readonly string[],
  cell: (one: Measured, measure: string) => string,
): string {
  const head = ['', ...measures];
  const rows = measured.map((one) => [nameOf(one), ...measures.map((name) => cell(one, name))]);
  return tableOf(head, rows);
}

function nameOf({ contender }: Measured): string {
  return contender.rows === 0
    ? contender.label
    : `${contender.label}; ${contender.rows.toLocaleString('en')} rows`;
}

/** Every contender beside the bare loop that had as many rows, where there is such a loop. */
function sharesOf(measured: readonly Measured[], measures: readonly string[]): string[] {
  const bases = measured.filter(({ contender }) => contender.label === BASE);
  if (bases.length === 0) return [];
  const table = tableFor(measured, measures, (one, name) => {
    const base = bases.find(({ contender }) => contender.rows === one.contender.rows);
    if (base === undefined) return '–';
    return ratio(one.series.rate.get(name)!, base.series.rate.get(name)!);
  });
  return ['### As a share of the bare loop with all safeties, same repeat', table];
}

function growthOf(measured: readonly Measured[], measures: readonly string[]): string | null {
  const grown = measured.filter(({ contender }) => contender.rows > 0);
  if (grown.length === 0) return null;
  return tableFor(grown, measures, (one, name) => {
    const small = measured.find(
      ({ contender }) => contender.rows === 0 && contender.label === one.contender.label,
    );
    return small === undefined
      ? '–'
      : ratio(one.series.rate.get(name)!, small.series.rate.get(name)!);
  });
}

/** The median of the ratios of each repeat, so that a slow minute weighs on both sides. */
function ratio(values: readonly number[], base: readonly number[]): string {
  return median(values.map((value, index) => value / base[index]!)).toFixed(2);
}
