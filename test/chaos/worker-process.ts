// A worker in a process of its own: `worker-process.ts <database> <name> [--frozen] [--queue=…]
// [--artifacts=…]`. Frozen, its clock stands still, and it never notices a lost lease by itself.
import { openInner } from '../support/inner-pawl.ts';
import { drainOnSignal } from 'pawl/internal/worker/shutdown';
import {
  badInline,
  burn,
  endless,
  holdsOn,
  neighbour,
  poison,
  tenStages,
} from '../fixtures/handlers/chaos.ts';

const [database = '', id = '', ...flags] = process.argv.slice(2);
const flag = (name: string): string | undefined =>
  flags.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
const log = {
  warn: (message: string, facts: unknown) =>
    process.stdout.write(`warning: ${message} ${JSON.stringify(facts)}\n`),
};

const jobs = [burn, tenStages, holdsOn, poison, endless, badInline, neighbour];
const artifacts = flag('artifacts');
const pawl = await openInner({
  database,
  jobs,
  log,
  ...(artifacts === undefined ? {} : { artifacts }),
});
const clock = flags.includes('--frozen') ? { clock: { now: () => 0 } } : {};
const queues = [flag('queue') ?? 'default'];
const worker = pawl.work({ id, queues, pollMs: { minMs: 20, maxMs: 100 }, ...clock });
process.once('SIGTERM', () => process.stdout.write('draining\n'));
process.stdout.write('ready\n');
await drainOnSignal(worker, { timeout: 300, grace: 30_000 });
process.stdout.write('drained\n');
await pawl.close();
process.stdin.destroy();
