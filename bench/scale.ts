// `npm run bench:scale`: how tenants lie on several databases, and how long jobs wait for a slot:
// by formula, by simulation, and with the real engine and worker. With `-- --platform` also in real
// time, which tells something on an idle machine only.
import { SeededRandom } from 'pawl/internal/core/random';
import { askedFor } from './harness/arguments.ts';
import { machineLines } from './harness/machine.ts';
import { tableOf } from './harness/markdown.ts';
import { keepResult } from './harness/results.ts';
import { type Fleet, meanWaitMs, utilisationOf } from './scale/queueing.ts';
import { measureWait } from './scale/real-run.ts';
import { balanceOf } from './scale/shards.ts';
import { simulatedWaitMs } from './scale/simulated-wait.ts';
import { worldWaitMs } from './scale/world-run.ts';

const TENANTS = 10_000;
const JOBS = 600;
const SEED = 17;
const CREWS: readonly Fleet[] = [20, 28, 34, 36].map((jobsPerSecond) => ({
  slots: 8,
  jobsPerSecond,
  serviceMs: 200,
}));

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
const report = [
  '# Beyond one database, and slots enough',
  '',
  `\`${command}\``,
  '',
  ...machineLines(loadBefore),
  '',
  `## ${TENANTS.toLocaleString('en')} tenants, the n-th with 1/n of the jobs of the first`,
  '',
  'The load of the fullest database, where an equal share is 1: all tenants placed by weight, and',
  'with the twenty largest placed by hand. What a database more would move.',
  '',
  tableOf(
    ['databases', 'by weight', 'twenty by hand', 'moved by one more'],
    balances.map(({ databases, fullest, fullestByHand, moved }) => [
      String(databases),
      fullest.toFixed(2),
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
