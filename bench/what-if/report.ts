import type { Figures } from 'pawl/internal/engine/what-if/figures';
import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import type { Measured, Predicted, WhatIfOptions } from './measure.ts';

const HEADS = [
  'change',
  'jobs',
  'p95 of the wait before',
  'predicted',
  'in a second real run',
  'error of p95',
  'p50 predicted',
  'p50 real',
  'most in the backlog: predicted',
  'real',
];

const seconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1_000).toFixed(2)} s`);

/** How far a prediction is off, of what really was. */
function errorText({ predicted, real }: Pick<Predicted, 'predicted' | 'real'>): string {
  const [is, was] = [predicted.waitP95Ms, real.waitP95Ms];
  if (is === null || was === null || was === 0) return '–';
  const share = Math.round(((is - was) / was) * 100);
  return `${share > 0 ? '+' : ''}${share} %, ${seconds(is - was)}`;
}

export function whatIfReport(
  { jobs, replay, predictions }: Measured,
  asked: Asked & WhatIfOptions,
): string {
  const { command, loadBefore, slots } = asked;
  const lines = predictions.flatMap(({ change, figures }) =>
    figures.map((one) => [
      change,
      one.of,
      seconds(one.before.waitP95Ms),
      seconds(one.predicted.waitP95Ms),
      seconds(one.real.waitP95Ms),
      errorText(one),
      seconds(one.predicted.waitP50Ms),
      seconds(one.real.waitP50Ms),
      String(one.predicted.backlogMax),
      String(one.real.backlogMax),
    ]),
  );
  return [
    '# What-if: predictions beside second real runs',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${jobs} jobs in ${asked.seconds} s, in two peaks, on ${slots} slots of one worker, on the`,
    '  embedded store: `report` takes 0.6 to 1.8 s, `mail` 0.2 to 0.6 s. Handlers wait for a',
    '  timer, so that they need little of a busy processor.',
    '- One run is recorded. `pawl what-if` predicts from its log what a change does to it. Then',
    '  the same load, with the same times of arrival and the same durations, is really worked off',
    '  with the change.',
    '',
    '## The replay without changes',
    '',
    tableOf(
      ['', 'p50 of the wait', 'p95', 'p99', 'most in the backlog', 'slots in use'],
      [lineOf('really', replay.real), lineOf('replayed', replay.replayed)],
    ),
    '',
    '## With changes',
    '',
    tableOf(HEADS, lines),
  ].join('\n');
}

function lineOf(title: string, figures: Figures): string[] {
  const { waitP50Ms, waitP95Ms, waitP99Ms, backlogMax, utilisation } = figures;
  const waits = [waitP50Ms, waitP95Ms, waitP99Ms].map(seconds);
  return [title, ...waits, String(backlogMax), `${Math.round((utilisation ?? 0) * 100)} %`];
}
