// `writer.ts <folder or url> <full|normal> <acks>`: enqueues jobs on a disk that will lose its
// power, and notes each that was acknowledged on one that will not.
import { appendFileSync } from 'node:fs';
import { systemClock } from '../../../src/core/clock.ts';
import { systemIds } from '../../../src/core/ids.ts';
import { systemRandom } from '../../../src/core/random.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { openContext } from '../../../src/engine/open-context.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';

const [where = '', setting = '', acks = ''] = process.argv.slice(2);
const synchronous = setting === 'normal' ? 'normal' : 'full';
// How a PostgreSQL commits is up to the server, not to its clients.
const store = where.startsWith('postgres')
  ? await openPostgresStore({ url: where, lifecycles })
  : await openSqliteStore({ path: `${where}/jobs.db`, lifecycles, synchronous });
const engine = new Engine(
  openContext({ store, lifecycles, random: systemRandom, ids: systemIds(systemClock) }),
);
await engine.putType({ tenant: '*', type: 'convert' }, { lifecycle: 'task' });
const caller = { tenant: 'acme', principal: null };
for (;;) {
  const requests = Array.from({ length: 3 }, () => ({ type: 'convert', input: null }));
  const results = await engine.enqueue(requests, { caller });
  const ids = results.flatMap((one) => (one.kind === 'refused' ? [] : [one.job.id]));
  appendFileSync(acks, `${ids.join('\n')}\n`);
}
