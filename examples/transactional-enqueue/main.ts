// An order and its job come to be together, or not at all.
//   DATABASE_URL=postgres://… npm run example examples/transactional-enqueue/main.ts
import pg from 'pg';
import { defineJob, type JobHandle, openPawl, typed } from 'pawl';

const url = process.env['DATABASE_URL'];
if (url === undefined) throw new Error('DATABASE_URL is missing: name a PostgreSQL database');

const ship = defineJob('ship', {
  input: typed<{ order: number }>(),
  run: ({ input }) => `order ${input.order} is on its way`,
});

const pawl = await openPawl({ database: url, jobs: [ship] });
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, paid boolean)');

async function placeOrder(isPaid: boolean): Promise<JobHandle<string> | null> {
  await client.query('BEGIN');
  try {
    const insert = 'INSERT INTO orders (paid) VALUES ($1) RETURNING id';
    const order = (await client.query<{ id: number }>(insert, [isPaid])).rows[0]!.id;
    const job = await pawl.enqueue(ship, { order }, { tx: client });
    if (!isPaid) throw new Error('not paid');
    await client.query('COMMIT');
    return job;
  } catch {
    await client.query('ROLLBACK');
    return null;
  }
}

const unpaid = await placeOrder(false);
const paid = await placeOrder(true);
pawl.work();
console.log(await paid!.result());
const { items } = await pawl.jobs({ type: ship });
console.log(`${unpaid === null ? 'one order was given up' : ''}, ${items.length} job was made`);
await client.end();
await pawl.close();
