// A process that follows the log and prints each event it is told of. It hangs at the n-th.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';

const [url = '', hangAt = ''] = process.argv.slice(2);
const store = await openPostgresStore({ url, lifecycles, poolSize: 3 });
const engine = new Engine(
  openContext({ store, lifecycles, random: systemRandom, ids: systemIds(systemClock) }),
);
let told = 0;

const follower = engine.follow({
  name: 'audit',
  leaseMs: 1_000,
  everyMs: 20,
  batchMax: 4,
  handle: async (items) => {
    for (const { event } of items) {
      process.stdout.write(`${event.jobId} ${event.version}\n`);
      if (++told === Number(hangAt)) await new Promise(() => undefined);
    }
  },
});
const { kind } = await follower.runOnce();
process.stdout.write(`${kind}\n`);
follower.start();
