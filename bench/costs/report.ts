import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { round as whole, tableOf } from '../harness/markdown.ts';
import type { Cost } from './lives.ts';
import { bytesOf, type Costs, type CostsOptions, type Upkeep } from './run.ts';

function time(value: number | null): string {
  return value === null ? 'not on this machine' : value.toFixed(3);
}

function lineOf({ verb, batch, walBytes, serverCpuMs, ownCpuMs, xids, logNumbers }: Cost) {
  const name = verb === 'empty claim' ? 'a claim that finds nothing' : `${verb}, by ${batch}`;
  const counts = [xids.toFixed(2), logNumbers.toFixed(2)];
  return [name, whole(walBytes), time(serverCpuMs), time(ownCpuMs), ...counts];
}

/** A life is the three verbs that every job has; heartbeats come on top, by how long it takes. */
function lifeOf(costs: readonly Cost[], batch: number): string[] {
  const parts = costs.filter(
    (cost) => cost.batch === batch && ['enqueue', 'claim', 'complete'].includes(cost.verb),
  );
  const sum = (of: (cost: Cost) => number): number =>
    parts.reduce((total, cost) => total + of(cost), 0);
  const server = parts.some(({ serverCpuMs }) => serverCpuMs === null)
    ? null
    : sum(({ serverCpuMs }) => serverCpuMs ?? 0);
  return [
    `**a life, by ${batch}**`,
    whole(sum(({ walBytes }) => walBytes)),
    time(server),
    time(sum(({ ownCpuMs }) => ownCpuMs)),
    sum(({ xids }) => xids).toFixed(2),
    sum(({ logNumbers }) => logNumbers).toFixed(2),
  ];
}

function upkeepLine(what: string, { walBytes, serverCpuMs }: Upkeep): string[] {
  return [what, whole(walBytes), time(serverCpuMs)];
}

function verbLines(costs: readonly Cost[]): string[] {
  return [
    tableOf(
      [
        'verb',
        'WAL, bytes',
        'CPU of the server, ms',
        'CPU of the caller, ms',
        'transaction numbers',
        'numbers of the log',
      ],
      [...new Set(costs.map(({ batch }) => batch))].flatMap((batch) => [
        ...costs.filter((cost) => cost.batch === batch).map(lineOf),
        lifeOf(costs, batch),
      ]),
    ),
    '',
    'A life is enqueue, claim and complete. A renewal says nothing, a heartbeat has progress and a',
    'message. *Complete and claim* ends one job and claims another in one call, as a worker in the',
    'library does. A claim that finds nothing is counted once for each call.',
  ];
}

function keptLines({ kept, noteBytes, vacuum, freezing, deadRows }: Costs): string[] {
  return [
    '## A job that has ended and is kept',
    '',
    tableOf(
      ['table', 'bytes', 'of indexes'],
      [
        ...kept.map(({ table, bytes: own, indexBytes }) => [table, whole(own), whole(indexBytes)]),
        ['**all**', whole(bytesOf(kept)), ''],
      ],
    ),
    '',
    `These jobs had no renewals. A renewal that the history notes keeps ${whole(noteBytes)} bytes`,
    'for as long as notes are kept.',
    '',
    '## What vacuum does for a job',
    '',
    tableOf(
      ['', 'WAL, bytes', 'CPU of the server, ms'],
      [
        upkeepLine('removing dead rows of `live`', vacuum),
        upkeepLine('freezing what is kept', freezing),
      ],
    ),
    '',
    `${deadRows.toFixed(1)} rows of \`live\` die with a job, and one more with each renewal.`,
  ];
}

function wireLines({ wire, callers }: Costs): string[] {
  return [
    '## Between a process and its database',
    '',
    tableOf(
      ['a call', 'bytes sent', 'bytes received', 'round trips'],
      wire.map(({ verb, batch, sentBytes, receivedBytes, roundTrips }) => [
        `${verb}, ${batch} a call`,
        whole(sentBytes),
        whole(receivedBytes),
        roundTrips.toFixed(2),
      ]),
    ),
    '',
    `Sixty-four callers of one process, one job a call, had ${callers.connections} of its 8`,
    `connections open and took ${callers.xids.toFixed(3)} transaction numbers a job: they share`,
    'commits.',
  ];
}

export function reportOf(
  measured: Costs,
  { jobs, command, loadBefore }: CostsOptions & Asked,
): string {
  return [
    '# What a job costs on PostgreSQL',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${measured.conditions}`,
    `- ${whole(jobs)} jobs by the hundred, a fifth of them by ten, a tenth one by one: lifecycle`,
    '  `task`, 100 bytes of input, three events each. By 100: a hundred jobs a call, one caller.',
    '  Processor time is that of all processes of the server, and of the process that calls it.',
    '  Single calls cost up to 1.6 times as much where others keep the caches busy. The',
    '  write-ahead log includes whole pages after a checkpoint.',
    '',
    '## A job, in one verb',
    '',
    ...verbLines(measured.costs),
    '',
    ...keptLines(measured),
    '',
    ...wireLines(measured),
  ].join('\n');
}
