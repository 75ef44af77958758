// The three scenarios, as the report shows them.
import { round as whole, tableOf } from '../harness/markdown.ts';
import type { Checked } from './check-run.ts';
import { CONNECTIONS_A_PROCESS, type Demand, demandOf, type Load } from './demand.ts';
import type { HttpWire } from './http-wire.ts';
import { billOf, cellsFor, limitsOf, priceOf } from './limits.ts';
import type { Measured } from './measured.ts';
import { farLines, type FarRun, fleetLines, wireLines } from './paper-far.ts';
import { BILLION, COPIES, DATABASE, FLEET, PRICES, SUSTAINED, TENANTS } from './scenarios.ts';
import { megabytes, short, terabytes } from './units.ts';

const BATCHES = [1, 10, 100];

type Row = readonly [string, (demand: Demand) => string];

const DEMANDS: readonly Row[] = [
  ['cores of the database, at the peak', ({ cores }) => short(cores)],
  ['write-ahead log a second', ({ walBytesPerSecond }) => megabytes(walBytesPerSecond)],
  ['write-ahead log a day', ({ walBytesPerSecond }) => terabytes(walBytesPerSecond * 86_400)],
  ['disk', ({ diskBytes }) => terabytes(diskBytes)],
  ['commits a second, at the peak', ({ commitsPerSecond }) => whole(commitsPerSecond)],
  ['transaction numbers a second', ({ xidsPerSecond }) => whole(xidsPerSecond)],
  ['hours to a forced vacuum', ({ hoursToForcedVacuum }) => short(hoursToForcedVacuum)],
  ['hours until writes stop, if it never ends', ({ hoursToStop }) => short(hoursToStop)],
  ['dead rows a second', ({ deadRowsPerSecond }) => whole(deadRowsPerSecond)],
  ['of one core, to remove them', ({ vacuumShare }) => `${short(vacuumShare * 100)} %`],
  ['jobs in flight, at the peak', ({ jobsInFlight }) => whole(jobsInFlight)],
  ['renewals a second, at the peak', ({ renewalsPerSecond }) => whole(renewalsPerSecond)],
  ['connections', ({ connections }) => whole(connections)],
  ['jobs of a partition', ({ partition }) => whole(partition.jobs)],
  ['bytes of a partition', ({ partition }) => terabytes(partition.bytes)],
];

function loadsOf(load: Omit<Load, 'batch'>): Load[] {
  return BATCHES.map((batch) => ({ ...load, batch }));
}

function demandLines(measured: Measured, load: Omit<Load, 'batch'>): string[] {
  const demands = loadsOf(load).map((one) => demandOf(measured, one));
  return [
    tableOf(
      ['', ...BATCHES.map((batch) => `${batch} a call`)],
      DEMANDS.map(([name, of]) => [name, ...demands.map(of)]),
    ),
  ];
}

function limitLines(measured: Measured, load: Omit<Load, 'batch'>): string[] {
  const columns = loadsOf(load).map((one) => limitsOf(measured, one, DATABASE));
  return [
    'Sustained jobs a second at which a database as assumed below reaches each limit; **bold** is',
    'the first.',
    '',
    tableOf(
      ['limit', ...BATCHES.map((batch) => `${batch} a call`)],
      columns[0]!
        .map(({ name }) => name)
        .map((name) => [
          name,
          ...columns.map((limits) => {
            const { reachedAt } = limits.find((limit) => limit.name === name)!;
            const text = whole(reachedAt);
            return limits[0]!.name === name ? `**${text}**` : text;
          }),
        ]),
    ),
  ];
}

function cellsText(measured: Measured, load: Load): string {
  const cells = cellsFor(measured, load, { database: DATABASE, tenants: TENANTS });
  return cells === null
    ? 'one tenant is too large'
    : `${cells.count} × ${cells.fullest.toFixed(2)}`;
}

function billLines(measured: Measured, load: Omit<Load, 'batch'>): string[] {
  const bills = loadsOf(load).map((one) => billOf(demandOf(measured, one), DATABASE, COPIES));
  const line = (name: string, of: (bill: (typeof bills)[number]) => string): string[] => [
    name,
    ...bills.map(of),
  ];
  return [
    tableOf(
      ['a month', ...BATCHES.map((batch) => `${batch} a call`)],
      [
        line('core hours', ({ coreHours }) => whole(coreHours)),
        line('TB-months of disk', (bill) => short(bill.diskTerabyteMonths)),
        line('TB-months of archive', (bill) => short(bill.archiveTerabyteMonths)),
        line('TB of write-ahead log sent', ({ walTerabytes }) => short(walTerabytes)),
        line('at the example prices', (bill) => whole(priceOf(bill, PRICES))),
        [
          'cells × load of the fullest (1 is an equal share)',
          ...loadsOf(load).map((one) => cellsText(measured, one)),
        ],
      ],
    ),
  ];
}

function scenario(heading: string, measured: Measured, load: Omit<Load, 'batch'>): string[] {
  const renewals = Math.floor(load.jobMs / load.heartbeatMs);
  return [
    `## ${heading}`,
    '',
    `The busiest hour has ${load.peakFactor} times the mean. Jobs of ${load.jobMs / 1_000} s with`,
    `${renewals} renewals, ${load.payloadBytes} bytes of payload beyond the measured ones, kept`,
    `for ${load.keptDays} days. ${load.processes} processes on the database, which has connections`,
    `for ${Math.floor(DATABASE.connections / CONNECTIONS_A_PROCESS)}.`,
    '',
    ...demandLines(measured, load),
    '',
    ...limitLines(measured, load),
    '',
    ...billLines(measured, load),
  ];
}

function assumptionLines(): string[] {
  const { cores, coresShare, walBytesPerSecond, diskBytes, connections } = DATABASE;
  const { hoursBetweenFreezes } = DATABASE;
  const { coreHour, diskTerabyteMonth, archiveTerabyteMonth, transferTerabyte } = PRICES;
  return [
    '## What was assumed',
    '',
    `A database with ${cores} cores of which ${coresShare * 100} % are planned for,`,
    `${megabytes(walBytesPerSecond)} of write-ahead log a second, ${terabytes(diskBytes)} of disk,`,
    `${connections} connections, and at least ${hoursBetweenFreezes} hours between two forced`,
    `vacuums; ${COPIES.standbys} standby, ${COPIES.walDaysKept} days of archived log and a base`,
    `backup; ${whole(TENANTS)} tenants of which the n-th has 1/n of the jobs of the first. The`,
    `example prices: ${coreHour} a core hour, ${diskTerabyteMonth} a TB-month of disk,`,
    `${archiveTerabyteMonth} of archive, ${transferTerabyte} a TB sent. All of it stands in`,
    '`bench/scale/scenarios.ts`, to be replaced.',
  ];
}

/** How far off the model was, of what was really used. */
export function errorOf({ predicted, real }: Checked): number {
  return predicted / real - 1;
}

export function checkLines(checked: readonly Checked[]): string[] {
  return [
    tableOf(
      ['a job', 'the model', 'the run', 'off by'],
      checked.map((one) => [
        one.figure,
        short(one.predicted),
        short(one.real),
        `${(errorOf(one) * 100).toFixed(1)} %`,
      ]),
    ),
  ];
}

export interface Far {
  readonly runs: readonly FarRun[];
  readonly wire: readonly HttpWire[];
}

export function paperLines(measured: Measured, far: Far): string[] {
  return [
    ...scenario('10,000 jobs a second, sustained', measured, SUSTAINED),
    '',
    ...scenario('A billion jobs a month', measured, BILLION),
    '',
    '## 1,000 workers over HTTP in ten regions',
    '',
    `${FLEET.slots} slots each, ${FLEET.busy * 100} % of them busy, jobs of ${FLEET.jobMs / 1_000}`,
    `s, heartbeats every ${FLEET.heartbeatMs / 1_000} s, ${FLEET.apiProcesses} \`api\` processes,`,
    `${FLEET.streams} streams of ${FLEET.streamEventsPerSecond} events a second. A worker with a`,
    'free slot has a claim that waits at the server, and looks again with every wake-up.',
    '',
    ...fleetLines(measured),
    '',
    'Simulated: the real engine and the real worker, 30 workers in ten regions of 80 to 250 ms,',
    '300 s of virtual time, each way up to 30 % longer and one packet in a hundred sent again.',
    '*Wait*: from the job being ready to the first moment of its handler.',
    '',
    ...farLines(far.runs),
    '',
    ...wireLines(far.wire),
    '',
    ...assumptionLines(),
  ];
}
