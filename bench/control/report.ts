import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import type { ControlOptions } from './options.ts';
import type { Result, Times } from './run.ts';

export function reportOf(results: readonly Result[], options: ControlOptions): string {
  return [
    '# Limits, measured',
    `\`${options.command}\``,
    introduction(options).join('\n'),
    ...results.map(sectionOf),
  ].join('\n\n');
}

function introduction({ jobs, claims, loadBefore }: ControlOptions): string[] {
  return [
    ...machineLines(loadBefore),
    `- ${claims} claims and ${jobs} jobs of each. What is compared takes turns call by call; the`,
    '  first quartile (a quarter of the calls was faster) suffers least from the others’ work, so',
    '  ratios are of that. Differences below a fifth are noise.',
    '- One process, one caller: what a limit costs, not what the machine can do.',
  ];
}

function sectionOf({ field, claims, turns }: Result): string {
  return [
    `## ${field.name}`,
    field.conditions.map((line) => `- ${line}`).join('\n'),
    '### A claim of ten jobs of other keys, ms',
    timesOf('waiting at the full key', claims),
    '### Claim and completion, up to 100 at a time, ms a job',
    timesOf('limit', turns),
  ].join('\n\n');
}

function timesOf(head: string, times: Times): string {
  const [base = []] = times.values();
  const rows = [...times].map(([name, values]) => [
    name,
    quantile(values, 0.25).toFixed(3),
    quantile(values, 0.5).toFixed(3),
    quantile(values, 0.95).toFixed(3),
    (quantile(values, 0.25) / quantile(base, 0.25)).toFixed(2),
  ]);
  const heads = [head, 'first quartile', 'median', '95 %', 'ratio'];
  return tableOf(heads, rows);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
