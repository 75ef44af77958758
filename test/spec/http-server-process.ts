// A server in a process of its own, for tests that kill it. `die-after-insert` is the harness's own
// crash: the process kills itself between the commit of an insert and its answer.
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { Sweeper } from '../../src/engine/sweeps/sweeper.ts';
import { buildServer } from '../../src/http/server.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';

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
