import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import { median, percentile } from '../harness/statistics.ts';
import type { Held, HeldOptions, Slice } from './measure.ts';

const HEADS = [
  '',
  'jobs a second',
  'claim p50 ms',
  'claim p99 ms',
  'log p50 ms',
  'log p99 ms',
  'dead rows of `live`',
];

function line(what: string, { livesPerSecond, claimMs, tailMs, deadRows }: Slice): string[] {
  const times = [median(claimMs), percentile(claimMs, 99), median(tailMs), percentile(tailMs, 99)];
  return [
    what,
    livesPerSecond.toFixed(0),
    ...times.map((ms) => ms.toFixed(1)),
    deadRows.toLocaleString('en'),
  ];
}

/** The first round and the last of each. */
export function reportOf(
  found: readonly Held[],
  { command, loadBefore, conditions, ...options }: Asked & HeldOptions & { conditions: string },
): string {
  const { sliceMs, rounds, perSecond } = options;
  const minutes = (sliceMs * rounds * found.length) / 60_000;
  const lines = found.flatMap(({ holder, slices }) => [
    line(`${holder}: first round`, slices[0]!),
    line(`${holder}: last round`, slices.at(-1)!),
  ]);
  return [
    '# A transaction that stays open',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${conditions}`,
    `- ${perSecond} jobs a second are offered and worked off, one in 5 with a note, one in 50`,
    '  with a dead letter. The databases, of one server, take turns of',
    `  ${sliceMs / 1_000} s, ${rounds} rounds; the transactions are open from the first to the`,
    `  last, for ${minutes.toFixed(1)} minutes.`,
    '- *log*: from an event’s time to its arrival at somebody who looks every 5 ms.',
    '',
    tableOf(HEADS, lines),
  ].join('\n');
}
