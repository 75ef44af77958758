import pg from 'pg';
import { defineJob, type JobHandle, openPawl, typed } from 'pawl';

const ship = defineJob('ship', {
  input: typed<{ order: number }>(),
  run: ({ input }) => `order ${input.order} is on its way`,
});

const database = process.env['DATABASE_URL'] ?? 'postgres://localhost/shop';
await using pawl = await openPawl({ database, jobs: [ship] });
const client = new pg.Client(database);
await client.connect();
await client.query('CREATE TABLE orders (id int PRIMARY KEY)');

async function placeOrder(order: number, end: 'COMMIT' | 'ROLLBACK'): Promise<JobHandle<string>> {
  await client.query('BEGIN');
  await client.query('INSERT INTO orders VALUES ($1)', [order]);
  const job = await pawl.enqueue(ship, { order }, { tx: client });
  await client.query(end);
  return job;
}

await placeOrder(1, 'ROLLBACK');
const placed = await placeOrder(2, 'COMMIT');
pawl.work();
console.log(await placed.result());
console.log((await pawl.jobs({ type: ship })).items.length, 'job was made');
await client.end();
