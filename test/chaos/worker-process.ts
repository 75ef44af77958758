// A worker in a process of its own: `worker-process.ts <database> <name> [--frozen]`. Frozen, its
// clock stands still, so that it never notices a lost lease by itself.
import { openPawl } from '../../src/app/pawl.ts';
import { drainOnSignal } from '../../src/worker/shutdown.ts';
import { burn, endless, holdsOn, poison, tenStages } from '../fixtures/handlers/chaos.ts';

const [database = '', id = '', mode = ''] = process.argv.slice(2);
const log = {
  warn: (message: string, facts: unknown) =>
    process.stdout.write(`warning: ${message} ${JSON.stringify(facts)}\n`),
};

const jobs = [burn, tenStages, holdsOn, poison, endless];
const pawl = await openPawl({ database, jobs, log });
const clock = mode === '--frozen' ? { clock: { now: () => 0 } } : {};
const worker = pawl.work({ id, pollMs: { minMs: 20, maxMs: 100 }, ...clock });
process.once('SIGTERM', () => process.stdout.write('draining\n'));
process.stdout.write('ready\n');
await drainOnSignal(worker, { timeoutMs: 300, graceMs: 30_000 });
process.stdout.write('drained\n');
await pawl.close();
process.stdin.destroy();
