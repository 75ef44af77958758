// A server in a process of its own, for tests that kill it. `die-after-insert` is the harness's own
// crash: the process kills itself between the commit of an insert and its answer.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { buildServer } from '@pawl/server/internal/http/server';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';

const [database = '', crash = ''] = process.argv.slice(2);

async function openStore(): Promise<Store> {
  if (database.startsWith('postgres')) return openPostgresStore({ url: database, lifecycles });
  return openSqliteStore({ path: database, lifecycles });
}

const store = await openStore();
if (crash === 'die-after-insert') {
  const insert = store.insert.bind(store);
  store.insert = async (jobs) => {
    await insert(jobs);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  };
}
const context = openContext({
  store,
  lifecycles,
  random: systemRandom,
  ids: systemIds(systemClock),
});
const engine = new Engine(context);
const sweeper = new Sweeper(context, { timers: systemTimers, everyMs: 100 });
const app = await buildServer({
  engine,
  doctor: context,
  slo: context,
  load: { lagMsMax: Number.POSITIVE_INFINITY },
});
sweeper.start();
const url = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${url}\n`);

process.once('SIGTERM', () => {
  void engine.live
    .stop()
    .then(() => app.close())
    .then(() => sweeper.stop())
    .then(() => store.close());
});
