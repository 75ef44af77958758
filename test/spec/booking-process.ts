// A worker without a compensator: it lets a job fail, says so, and waits to be killed.
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { withCompensations } from '../../src/handler/compensation.ts';
import { typeDefinitionOf } from '../../src/handler/define-job.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { bookingJob } from './booking-job.ts';

const [path = '', callLog = ''] = process.argv.slice(2);
const jobs = [bookingJob(callLog)];
const store = await openSqliteStore({ path, lifecycles });
const engine = new Engine(
  openContext({ store, lifecycles, random: systemRandom, ids: systemIds(systemClock) }),
);
const tenant = 'default';
for (const job of withCompensations(jobs)) {
  await engine.putType({ tenant, type: job.type }, typeDefinitionOf(job));
}
const requests = [{ type: 'booking', input: { fixture: 7 } }];
const [made] = await engine.enqueue(requests, { caller: { tenant, principal: null } });
const worker = openWorker({ source: engine, jobs });
await worker.poll();
await worker.idle();
process.stdout.write(`${made!.kind === 'refused' ? 'refused' : made!.job.id}\n`);
process.stdin.resume();
