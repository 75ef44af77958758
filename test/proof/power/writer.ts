// `writer.ts <folder or url> <full|normal> <acks>`: enqueues jobs on a disk that will lose its
// power, and notes each that was acknowledged on one that will not.
import { appendFileSync } from 'node:fs';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';

const [where = '', setting = '', acks = ''] = process.argv.slice(2);
const synchronous = setting === 'normal' ? 'normal' : 'full';
// How a PostgreSQL commits is up to the server, not to its clients. A busy machine may take as long
// as it likes: what is on the disk is judged.
const store = where.startsWith('postgres')
  ? await openPostgresStore({ url: where, lifecycles, statementTimeoutMs: 600_000 })
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
