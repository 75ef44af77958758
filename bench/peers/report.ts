import { readFileSync } from 'node:fs';
import { machineLines } from '../harness/machine.ts';
import { round, tableOf } from '../harness/markdown.ts';
import { type Bar, barChart } from './chart.ts';
import type { Contender } from './contenders.ts';
import { Figures } from './figures.ts';
import type { PeerOptions } from './options.ts';
import type { Settings } from './product.ts';
import type { Outcome } from './run.ts';
import { type Section, SECTIONS } from './sections.ts';
import { reached, TARGETS } from './targets.ts';

/** The whole page; `versions` are of the packages that were measured. */
export function reportOf(
  outcome: Outcome,
  options: PeerOptions,
  versions: readonly string[],
): string {
  const figures = new Figures(outcome.readings);
  const sections = SECTIONS.map((section) => sectionOf(section, figures, options.contenders));
  return [
    '# Pawl beside other queues',
    `\`${options.command}\``,
    introduction(outcome, options, versions).join('\n'),
    ...targetsOf(figures, options.isWhole),
    ...sections.filter((text) => text !== null),
    '## Settings',
    settingsOf(options.contenders),
    ...absencesOf(outcome),
    ...CLOSING,
  ].join('\n\n');
}

const CLOSING = [
  '## Again, and smaller',
  'One contender and one row: `npm run bench -- --only pawl-pg:best,graphile --rows drain`.',
  'What each safety costs on SQLite (guard, events, feed), and what a million finished jobs ' +
    'change, is in [core](results/core.md), and of five million in ' +
    '[growth](results/growth.md); limits in [control](results/control.md); what stays behind in ' +
    '[long run](results/long-run.md), and after ten minutes at full speed in ' +
    '[full speed](results/full-speed.md); what somebody’s open transaction costs in ' +
    '[held](results/held.md); the children of one parent beside jobs without one in ' +
    '[flows](results/flows.md); the API, streams and remote jobs in ' +
    '[http](results/http.md); decks in [studio](results/studio.md); predictions beside second ' +
    'runs in [what-if](results/what-if.md); what one cell costs against none in ' +
    '[cells](results/cells.md). A shorter run with newer code: [drains](results/drains.md). ' +
    'All values: [peers](results/peers.generated.json).',
];

function introduction(
  outcome: Outcome,
  { sizes, repeats, loadBefore }: PeerOptions,
  versions: readonly string[],
): string[] {
  const cap = sizes.capMs / 1_000;
  return [
    ...machineLines(loadBefore),
    ...(versions.length === 0 ? [] : [`- ${versions.join(', ')}.`]),
    ...outcome.conditions.map((line) => `- ${line}.`),
    `- No-op jobs with 100 bytes of input, ${round(sizes.jobs)} a drain`,
    `  (${round(sizes.jobsSlow)} for the slowest; 40 % of it where jobs are produced meanwhile,`,
    `  20 % in mixed work). Median of ${repeats} (smallest–largest). Contenders take turns after`,
    '  every row, in another order each time, each on a fresh database with fresh planner',
    '  statistics; producer and workers are processes, each worker the product’s own.',
    `- \\* stopped after ${cap} s (the slowest after half of it): the rate of what was done.`,
    '- Differences below a fifth are noise on a shared machine; compare figures of one run only.',
    ...(outcome.isComplete ? [] : ['- **Interrupted: this is not the whole run.**']),
  ];
}

function sectionOf(
  { title, words, measures }: Section,
  figures: Figures,
  contenders: readonly Contender[],
): string | null {
  const isMeasured = (name: string, measure: string): boolean =>
    figures.values(name, measure).length > 0;
  const shown = measures.filter((each) => contenders.some(({ name }) => isMeasured(name, each)));
  const present = contenders.filter(({ name }) => shown.some((each) => isMeasured(name, each)));
  if (present.length === 0) return null;
  const lines = present.map(({ name, durability }) => [
    name,
    durability,
    ...shown.map((each) => figures.cell(name, each)),
  ]);
  const isCharted = shown.includes('drain, 1 process');
  return [
    `## ${title}`,
    words.join('\n'),
    tableOf(['', 'answered when', ...shown], lines),
    ...(isCharted ? ['![Jobs a second, one worker process](results/peers.svg)'] : []),
  ].join('\n\n');
}

/** Of a part of the run only what it can tell. */
function targetsOf(figures: Figures, isWhole: boolean): string[] {
  const lines = TARGETS.flatMap((target) => {
    const measured = target.measured(figures);
    const sign = target.isLimit ? '≤ ' : '';
    const limits = [`${sign}${target.floor}`, `${sign}${target.aim}`];
    if (measured === null) {
      return isWhole ? [[target.words, '–', ...limits, '–', 'not measured']] : [];
    }
    const value = measured.value.toFixed(measured.value >= 10 ? 0 : 2);
    return [[target.words, measured.against, ...limits, value, reached(target, measured)]];
  });
  if (lines.length === 0) return [];
  const head = ['row', 'against', 'floor', 'aim', 'measured', 'reached'];
  const reasons = isWhole ? [REASONS.trim()] : [];
  return ['## Targets', TARGETS_WORDS, tableOf(head, lines), ...reasons];
}

/** Written by hand, from profiles: figures alone do not say why. */
const REASONS = readFileSync(new URL('reasons.md', import.meta.url), 'utf8');

const TARGETS_WORDS =
  'Ratios of medians of this run: Pawl at its best settings to the best of those named, or, ' +
  'where less is better, a limit. How finished jobs slow each verb down: ' +
  '[growth](results/growth.md).';

function settingsOf(contenders: readonly Contender[]): string {
  const textOf = (settings: Settings): string =>
    Object.keys(settings).length === 0 ? 'as it comes' : `\`${JSON.stringify(settings)}\``;
  const lines = contenders.map(({ name, settings, keyedSettings, node }) => {
    const text = [
      textOf(settings),
      ...(keyedSettings === undefined ? [] : [`by key ${textOf(keyedSettings)}`]),
      ...(node === undefined ? [] : [`\`node ${node.join(' ')}\``]),
    ];
    return [name, text.join('; ')];
  });
  return tableOf(['', 'settings'], lines);
}

function absencesOf({ absences }: Outcome): string[] {
  if (absences.length === 0) return [];
  const lines = absences.map(
    ({ contender, row, reason }) =>
      `- ${contender}, ${row ?? 'everything'}: ${reason.split('\n')[0]}`,
  );
  return ['## Not in the tables', lines.join('\n')];
}

/** Jobs a second of one worker process, all contenders. */
export function chartOf(outcome: Outcome, { contenders }: PeerOptions): string {
  const figures = new Figures(outcome.readings);
  const bars = contenders.flatMap(({ name, product }): Bar[] => {
    const value = figures.median(name, 'drain, 1 process');
    return value === null ? [] : [{ name, value, isOwn: product === 'pawl' }];
  });
  return barChart('Jobs a second, one worker process', bars);
}
