import { machineLines } from '../harness/machine.ts';
import { round, tableOf } from '../harness/markdown.ts';
import { median, spread } from '../harness/statistics.ts';
import type { FanOut } from './fan-out.ts';
import type { GatewayRun } from './gateway.ts';
import type { HttpOptions } from './options.ts';
import type { HttpResults } from './run.ts';
import type { VerbSeries, Way } from './verbs.ts';

export function reportOf(results: HttpResults, options: HttpOptions): string {
  const { ways, fans, gateways } = results;
  return [
    '# Through the API, measured',
    `\`${options.command}\``,
    introduction(results, options).join('\n'),
    ...(ways.length === 0 ? [] : [verbsOf(ways, options)]),
    ...(fans.length === 0 ? [] : [fansOf(fans, options)]),
    ...(gateways.length === 0 ? [] : [gatewaysOf(gateways, options)]),
    '## Not measured',
    NOT_MEASURED.join('\n'),
  ].join('\n\n');
}

function introduction({ grounds }: HttpResults, { loadBefore, repeats }: HttpOptions): string[] {
  return [
    ...machineLines(loadBefore),
    ...grounds.map(({ conditions }) => `- ${conditions}`),
    '- The server is `pawl start` in a process of its own with its defaults, but keys are asked',
    '  for (`PAWL_AUTH=on`), requests are not limited (`PAWL_REQUESTS_PER_SECOND=0`) and the',
    '  built-in jobs are off. Whoever calls or reads is another process (undici), on the same',
    '  cores.',
    `- Medians of ${repeats} (smallest–largest); what is compared takes turns. Differences below a`,
    '  fifth are noise.',
  ];
}

const NOT_MEASURED = [
  '- A network: all went over the loopback, without TLS and without a proxy.',
  '- More than one server process, and a machine of its own for server, database and clients.',
  '- CPU of the database server and of the clients; the server’s alone is told.',
  '- Completion in batches: the API has none. Tokens of an identity provider instead of keys.',
  '- Providers that are slow, fail or answer much: the one here answers at once.',
];

type Cell = (series: VerbSeries) => string;

function verbsOf(ways: readonly Way[], { verbs }: HttpOptions): string {
  const { singles, callers, batched, batch, batchCallers } = verbs;
  const names = [...ways[0]!.verbs.keys()];
  const table = (cell: Cell): string =>
    tableOf(
      ['', ...names],
      ways.map((way) => [
        `${way.store}, ${way.label}`,
        ...names.map((name) => cell(way.verbs.get(name)!)),
      ]),
    );
  return [
    '## Verbs',
    [
      `- ${round(singles)} jobs a measurement by ${callers} connections that stay open, each`,
      `  waiting for its answer; ${round(batched)} jobs by ${batch} a call on ${batchCallers}.`,
      '  Every call has an API key and an `Idempotency-Key`; every connection is one worker.',
      '- *In process*: as many callers of the same engine without HTTP, with the same keys.',
    ].join('\n'),
    '### Jobs a second',
    table(({ timed }) =>
      spread(
        timed.map(({ jobs, ms }) => (jobs * 1_000) / ms),
        round,
      ),
    ),
    '### Latency of a call, ms: p50 / p95 / p99 (medians)',
    table(({ timed }) =>
      (['p50', 'p95', 'p99'] as const)
        .map((name) => median(timed.map((one) => one[name])).toFixed(1))
        .join(' / '),
    ),
    '### CPU of the process with the engine in it, all its threads, µs a job',
    table(({ cpuMicros }) => known(cpuMicros, round)),
  ].join('\n\n');
}

function fansOf(fans: readonly FanOut[], { fanOut }: HttpOptions): string {
  const { streams, perSecond, seconds, burst } = fanOut;
  const ms = (value: number): string => value.toFixed(0);
  return [
    `## ${round(streams)} streams on one server`,
    [
      '- Every stream is told everything (`GET /v1/events`, server-sent events).',
      `- ${perSecond} jobs a second come in for ${seconds} s, each with one event for every`,
      `  stream; then ${burst} at once.`,
      '- Lag: from the event’s own time, taken just before its commit, until the reader has it.',
      '- At once: deliveries by the time from those events’ own time until the last was read.',
    ].join('\n'),
    tableOf(
      [
        '',
        'delivered a second at that pace',
        'lag p50 ms',
        'lag p99 ms',
        'cores used',
        'delivered a second, at once',
        'last one after ms',
        'memory a stream, kB',
      ],
      fans.map(({ store, paced, pacedCores, bursts, kilobytesAStream }) => [
        store,
        round(perSecond * streams),
        spread(
          paced.map(({ lagP50 }) => lagP50),
          ms,
        ),
        spread(
          paced.map(({ lagP99 }) => lagP99),
          ms,
        ),
        known(pacedCores, (value) => value.toFixed(2)),
        spread(
          bursts.map((one) => one.perSecond),
          round,
        ),
        spread(
          bursts.map(({ lagMax }) => lagMax),
          ms,
        ),
        known([kilobytesAStream], round),
      ]),
    ),
  ].join('\n\n');
}

function gatewaysOf(gateways: readonly GatewayRun[], { gateway }: HttpOptions): string {
  const { jobs, pollSeconds, statuses } = gateway;
  const ms = (value: number): string => round(value);
  return [
    `## ${round(jobs)} remote jobs`,
    [
      '- Executions at an OGC provider, a process of its own, are sent on 64 connections; each',
      `  answer waits until the provider has the job. It is polled every ${pollSeconds} s, and`,
      `  ${statuses.length} polls find: ${statuses.join(', ')}. If all jobs were there at once and`,
      `  all polls in time, that would be ${round(jobs / pollSeconds)} polls a second.`,
      '- CPU is all of the server’s, from the first execution until the last job has ended.',
    ].join('\n'),
    tableOf(
      [
        '',
        'executions a second',
        'polls a second',
        'polls a job',
        'between two polls, p50 ms',
        'p99 ms',
        'CPU, µs a poll',
      ],
      gateways.map(({ store, runs }) => [
        store,
        spread(
          runs.map((one) => one.forwardedPerSecond),
          round,
        ),
        spread(
          runs.map((one) => one.pollsPerSecond),
          round,
        ),
        spread(
          runs.map((one) => one.polls / one.jobs),
          (value) => value.toFixed(2),
        ),
        spread(
          runs.map(({ gapP50 }) => gapP50),
          ms,
        ),
        spread(
          runs.map(({ gapP99 }) => gapP99),
          ms,
        ),
        known(
          runs.map(({ cpuMicros }) => cpuMicros),
          round,
        ),
      ]),
    ),
  ].join('\n\n');
}

function known(values: readonly (number | null)[], text: (value: number) => string): string {
  const all = values.filter((value) => value !== null);
  return all.length === values.length ? spread(all, text) : 'not known here';
}
