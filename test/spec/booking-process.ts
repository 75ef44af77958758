// A worker without a compensator: it lets a job fail, says so, and waits to be killed.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { withCompensations } from 'pawl/internal/handler/compensation';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { openWorker } from 'pawl/internal/worker/open-worker';
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
