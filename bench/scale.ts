// `npm run bench:scale`: what loads beyond this machine need, calculated from the last run of
// `bench:costs` and `bench:http`, simulated where workers are far away, and held against a real
// load of a minute; how tenants lie on several databases; how long jobs wait for a slot: by
// formula, by simulation, and with the real engine and worker. With `-- --platform` also in real
// time, which tells something on an idle machine only.
import { SeededRandom } from 'pawl/internal/core/random';
import { askedFor } from './harness/arguments.ts';
import { machineLines } from './harness/machine.ts';
import { tableOf } from './harness/markdown.ts';
import { keepResult } from './harness/results.ts';
import { lastCosts } from './costs/file.ts';
import { startDurablePostgres } from './harness/durable-postgres.ts';
import { type Checked, checkModel, type CheckOptions } from './scale/check-run.ts';
import { type FarFleet, simulateFarFleet } from './scale/far-fleet.ts';
import { measureHttpWire } from './scale/http-wire.ts';
import { httpReport, type Measured, measuredFrom } from './scale/measured.ts';
import type { FarRun } from './scale/paper-far.ts';
import { checkLines, paperLines } from './scale/paper.ts';
import { FAR, TENANTS } from './scale/scenarios.ts';
import { type Fleet, meanWaitMs, utilisationOf } from './scale/queueing.ts';
import { measureWait } from './scale/real-run.ts';
import { balanceOf } from './scale/shards.ts';
import { simulatedWaitMs } from './scale/simulated-wait.ts';
import { worldWaitMs } from './scale/world-run.ts';

const JOBS = 600;
const SEED = 17;
const CREWS: readonly Fleet[] = [20, 28, 34, 36].map((jobsPerSecond) => ({
  slots: 8,
  jobsPerSecond,
  serviceMs: 200,
}));

/** A minute of calls as large as nobody has measured. */
const CHECK: CheckOptions = { rounds: 1_200, batch: 25, roundsPerSecond: 20 };

const WIRE_JOBS = 100;

const FAR_RUNS: readonly (readonly [string, Partial<FarFleet>])[] = [
  ['as it is', {}],
  ['one packet in twenty sent again', { line: { ...FAR.line, loss: 0.05 } }],
  ['one request in 500 never answered', { line: { ...FAR.line, silence: 0.002 } }],
  ['the same, heartbeat 1 min', { line: { ...FAR.line, silence: 0.002 }, heartbeatMs: 60_000 }],
  ['half the slots busy', { busy: 0.5 }],
];

async function farRuns(): Promise<FarRun[]> {
  const runs: FarRun[] = [];
  for (const [name, more] of FAR_RUNS) {
    runs.push({ name, result: await simulateFarFleet({ ...FAR, ...more }, SEED) });
  }
  return runs;
}

async function checked(measured: Measured): Promise<Checked[]> {
  const given = process.env['PAWL_BENCH_DATABASE_URL'];
  const server = given === undefined ? await startDurablePostgres() : null;
  const url = given ?? server?.url;
  if (url === undefined) throw new Error('no PostgreSQL found: set PAWL_BENCH_DATABASE_URL');
  try {
    return await checkModel(measured, { url }, CHECK);
  } finally {
    await server?.stop();
  }
}

const args = process.argv.slice(2);
const isPlatformAsked = args.includes('--platform');
const { command, loadBefore } = askedFor('bench:scale', args);
const balances = [2, 4, 8, 16, 32].map((count) => balanceOf(TENANTS, count));
const waits: string[][] = [];
for (const fleet of CREWS) {
  waits.push([
    `${Math.round(utilisationOf(fleet) * 100)} %`,
    meanWaitMs(fleet).toFixed(0),
    simulatedWaitMs(fleet, 200_000, new SeededRandom(SEED)).toFixed(0),
    simulatedWaitMs(fleet, JOBS, new SeededRandom(SEED)).toFixed(0),
    (await worldWaitMs(fleet, JOBS, new SeededRandom(SEED))).toFixed(0),
    ...(isPlatformAsked ? [(await measureWait(fleet, JOBS, SEED)).toFixed(0)] : []),
  ]);
}
const measured = measuredFrom(lastCosts(), httpReport());
const report = [
  '# Beyond this machine: databases, slots, regions',
  '',
  `\`${command}\``,
  '',
  ...machineLines(loadBefore),
  '- Calculated from [costs.md](costs.md) and [http.md](http.md), as they were last measured.',
  '',
  '## The model held against a real load',
  '',
  `${(CHECK.rounds * CHECK.batch).toLocaleString('en')} jobs in calls of ${CHECK.batch}, each`,
  `renewed once, at ${CHECK.batch * CHECK.roundsPerSecond} a second: a size of calls that was not`,
  'measured, with vacuum and whatever else the server did meanwhile.',
  '',
  ...checkLines(await checked(measured)),
  '',
  ...paperLines(measured, { runs: await farRuns(), wire: await measureHttpWire(WIRE_JOBS) }),
  '',
  `## ${TENANTS.toLocaleString('en')} tenants, the n-th with 1/n of the jobs of the first`,
  '',
  'The load of the fullest database, where an equal share is 1: all tenants placed by weight (a',
  'hash of their names), where the fewest are (as Pawl does it), and so with the twenty largest',
  'placed by hand (`pawl tenants place`). What a database more would move by weight; by place it',
  'moves none.',
  '',
  tableOf(
    ['databases', 'by weight', 'where the fewest are', 'twenty by hand', 'moved by one more'],
    balances.map(({ databases, fullest, fullestByArrival, fullestByHand, moved }) => [
      String(databases),
      fullest.toFixed(2),
      fullestByArrival.toFixed(2),
      fullestByHand.toFixed(2),
      `${(moved * 100).toFixed(1)} %`,
    ]),
  ),
  '',
  `## Mean wait for one of ${CREWS[0]!.slots} slots, handlers of ${CREWS[0]!.serviceMs} ms, in ms`,
  '',
  `The formula; a simulation of 200,000 jobs, and of ${JOBS}; the real engine`,
  `and worker with the same ${JOBS}, on a clock that jumps.`,
  '',
  tableOf(
    [
      'busy',
      'formula',
      'simulated',
      `simulated, ${JOBS}`,
      'engine and worker',
      ...(isPlatformAsked ? ['platform'] : []),
    ],
    waits,
  ),
].join('\n');
process.stdout.write(`${report}\n`);
keepResult('scale.md', `${report}\n`);
