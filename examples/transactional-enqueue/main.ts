// An order and its job come to be together, or not at all.
//   DATABASE_URL=postgres://… npm run example examples/transactional-enqueue/main.ts
import pg from 'pg';
import {
  builtInLifecycles,
  defineJob,
  Engine,
  openPawl,
  systemClock,
  systemIds,
  systemRandom,
  typed,
} from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';

const url = process.env['DATABASE_URL'];
if (url === undefined) throw new Error('DATABASE_URL is missing: name a PostgreSQL database');

const ship = defineJob('ship', {
  input: typed<{ order: number }>(),
  run: ({ input }) => `order ${input.order} is on its way`,
});

const lifecycles = builtInLifecycles;
const pawl = await openPawl({ database: url, jobs: [ship] });
const store = await openPostgresStore({ url, lifecycles });
const ids = systemIds(systemClock);
const engine = new Engine({ store, lifecycles, ids, random: systemRandom });
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, paid boolean)');

async function placeOrder(isPaid: boolean): Promise<string | null> {
  await client.query('BEGIN');
  try {
    const insert = 'INSERT INTO orders (paid) VALUES ($1) RETURNING id';
    const order = (await client.query<{ id: number }>(insert, [isPaid])).rows[0]!.id;
    const [result] = await engine.enqueue([{ type: ship.type, input: { order } }], {
      caller: { tenant: 'default', principal: null },
      insert: store.within(client),
    });
    if (result!.kind === 'refused') throw result!.error;
    if (!isPaid) throw new Error('not paid');
    await client.query('COMMIT');
    return result!.job.id;
  } catch {
    await client.query('ROLLBACK');
    return null;
  }
}

const unpaid = await placeOrder(false);
const paid = await placeOrder(true);
pawl.work();
await pawl.ended({ tenant: 'default', id: paid! });
const { jobs } = await pawl.engine.jobs({ tenant: 'default', limit: 10 });
console.log(`${unpaid === null ? 'one order was given up' : ''}, ${jobs.length} job was made`);
console.log(await pawl.result({ tenant: 'default', id: paid! }));
await client.end();
await store.close();
await pawl.close();
