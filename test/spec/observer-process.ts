// A process that follows the log and prints each event it is told of. It hangs at the n-th.
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';

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
