import type { Asked } from '../harness/arguments.ts';
import { machineLines } from '../harness/machine.ts';
import { tableOf } from '../harness/markdown.ts';
import type { Cost, Costs, CostsOptions } from './run.ts';

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function time(value: number | null): string {
  return value === null ? 'not on this machine' : value.toFixed(3);
}

function lineOf({ verb, batch, walBytes, serverCpuMs, ownCpuMs }: Cost): string[] {
  return [`${verb}, by ${batch}`, whole(walBytes), time(serverCpuMs), time(ownCpuMs)];
}

/** A life is the three verbs that every job has; heartbeats come on top, by how long it takes. */
function lifeOf(costs: readonly Cost[], batch: number): string[] {
  const parts = costs.filter((cost) => cost.batch === batch && cost.verb !== 'heartbeat');
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
  ];
}

export function reportOf(
  { conditions, costs, kept, connections }: Costs,
  { jobs, command, loadBefore }: CostsOptions & Asked,
): string {
  const bytes = kept.reduce((sum, place) => sum + place.bytes + place.indexBytes, 0);
  return [
    '# What a job costs on PostgreSQL',
    '',
    `\`${command}\``,
    '',
    ...machineLines(loadBefore),
    `- ${conditions}`,
    `- ${whole(jobs)} jobs by the hundred, a tenth of them one by one: lifecycle \`task\`, 100`,
    '  bytes of input, three events each. By 100: a hundred jobs a call. Processor time is that of',
    '  all processes of the server, and of the process that calls it; it does not depend on who',
    '  else is at work. The write-ahead log includes whole pages after a checkpoint.',
    '',
    '## A job, in one verb',
    '',
    tableOf(
      ['verb', 'WAL, bytes', 'CPU of the server, ms', 'CPU of the caller, ms'],
      [...new Set(costs.map(({ batch }) => batch))].flatMap((batch) => [
        ...costs.filter((cost) => cost.batch === batch).map(lineOf),
        lifeOf(costs, batch),
      ]),
    ),
    '',
    '## A job that has ended and is kept',
    '',
    tableOf(
      ['table', 'bytes', 'of indexes'],
      [
        ...kept.map(({ table, bytes: own, indexBytes }) => [table, whole(own), whole(indexBytes)]),
        ['**all**', whole(bytes), ''],
      ],
    ),
    '',
    `Sixty-four callers of one process had ${connections} of its 8 connections open:`,
    'they share commits.',
  ].join('\n');
}
