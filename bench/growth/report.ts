import { machineLines } from '../harness/machine.ts';
import { round, tableOf } from '../harness/markdown.ts';
import { median, spread } from '../harness/statistics.ts';
import type { GrowthOptions } from './options.ts';
import type { Grown, Result } from './run.ts';

/** How much dearer a verb may be with so many finished jobs: the targets of the project. */
const MILLION = 1_000_000;
const MOST = { million: 1.2, more: 1.3 };

/** Below this a call is quicker than the noise of the machine, and its ratio says nothing. */
const NOISE_MS = 0.05;

export function reportOf(results: readonly Result[], options: GrowthOptions): string {
  return [
    '# What every verb costs as the history grows',
    `\`${options.command}\``,
    introduction(options).join('\n'),
    ...results.map(sectionOf),
    '## Not measured',
    NOT_MEASURED.join('\n'),
  ].join('\n\n');
}

function introduction({ loadBefore, lives, repeats }: GrowthOptions): string[] {
  return [
    ...machineLines(loadBefore),
    '- A database for each column, side by side on one server. Finished jobs are copies of real',
    '  ones (lifecycle `task`, 100 bytes of input, up to three events, one in a hundred failed,',
    '  one cancelled), born over the last 29 days, written by SQL with ids as old as they are.',
    '  *Waiting*: ready jobs of the same type, which every claim finds before its own.',
    '- Every database, the empty one too, has some thousand jobs of 31 days ago for the purge,',
    '  a page of failed ones, and the jobs of the benchmark itself. On PostgreSQL those old ones',
    '  lie in no partition: they go by the slice, as jobs do that have outlived their partition.',
    `- A repeat: ${lives.single} calls of every verb with one job, ${lives.batch} with ` +
      `${lives.batchSize}, ${lives.looks} of the reads`,
    `  and the round of sweeps, ${lives.purges} purges. The databases take turns call by call.`,
    `- ms: the median of a repeat's calls, then that of ${repeats} repeats (smallest–largest).`,
    '- Ratio: of the two medians of one repeat, then the median. The targets are',
    `  ${MOST.million} up to a million finished jobs and ${MOST.more} beyond; **bold** is above.`,
    `  Differences below a fifth are noise, and of less than ${NOISE_MS} ms always.`,
  ];
}

const NOT_MEASURED = [
  '- Many tenants, types or queues: all jobs are of one.',
  '- Many idempotency keys, dead letters, notes or artifacts of the finished jobs.',
  '- Whole partitions that are dropped: `bench:long-run` has those.',
  '- Concurrent callers (`bench:core`, `bench:http`) and days of updates (`bench:long-run`).',
  '- A history larger than the memory of the machine: what is read was in the cache.',
];

function sectionOf({ field, grown }: Result): string {
  return [
    `## ${field.name}`,
    field.conditions.map((line) => `- ${line}`).join('\n'),
    sizesOf(grown),
    '### Ratio to the empty database',
    ratiosOf(grown),
    '### ms a call',
    timesOf(grown),
  ].join('\n\n');
}

function sizesOf(grown: readonly Grown[]): string {
  return tableOf(
    ['', ...grown.map(({ site }) => site.stock.name)],
    [
      ['size, MB', ...grown.map(({ site }) => round(site.megabytes))],
      ['written within, s', ...grown.map(({ site }) => round(site.fillSeconds))],
    ],
  );
}

function ratiosOf([empty, ...others]: readonly Grown[]): string {
  const lines = [...empty!.verbs].map(([verb, base]) => [
    verb,
    ...others.map((one) => ratioOf(one, one.verbs.get(verb)!, base)),
  ]);
  return tableOf(['', ...others.map(({ site }) => site.stock.name)], lines);
}

function ratioOf({ site }: Grown, times: readonly number[], base: readonly number[]): string {
  const ratio = median(times.map((ms, repeat) => ms / base[repeat]!));
  const { finished } = site.stock;
  const most = finished > MILLION ? MOST.more : MOST.million;
  const isMissed = finished > 0 && ratio > most && median(times) - median(base) > NOISE_MS;
  return isMissed ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2);
}

function timesOf(grown: readonly Grown[]): string {
  const lines = [...grown[0]!.verbs.keys()].map((verb) => [
    verb,
    ...grown.map(({ verbs }) => spread(verbs.get(verb)!, (ms) => ms.toFixed(2))),
  ]);
  return tableOf(['', ...grown.map(({ site }) => site.stock.name)], lines);
}
