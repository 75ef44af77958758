// A publication of the tables must not keep anybody from writing to them.
import assert from 'node:assert/strict';
import { onEveryServer } from '../support/postgres/store-fixture.ts';

await onEveryServer(
  'every table says by what a replica finds a row that is changed or deleted',
  async (fixture) => {
    await fixture.open();
    const client = await fixture.connect();
    const { rows } = await client.query(
      `SELECT c.relname AS name FROM pg_class c
       WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind IN ('r', 'p')
         AND c.relreplident <> 'f' AND NOT EXISTS (
           SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
    );
    assert.deepEqual(rows, []);
  },
);

await onEveryServer(
  'a log whose numbers would be drawn again is not opened, and the doctor says what lacks',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    await scene.ask(await scene.running(), { on: 'succeed' });
    const job = await scene.enqueue();
    assert.deepEqual(await store.maintenance.quickCheck(), []);
    const client = await fixture.connect();
    await client.query(`SELECT setval('pawl.log_n', 1), setval('pawl.calls', 1)`);
    await assert.rejects(fixture.open(), {
      outcome: 'refused',
      message: /log_n stands at 1, behind the log, which goes up to 5.*; set it before/,
    });
    await client.query(`SELECT setval('pawl.log_n', 5)`);
    await client.query(`ALTER SEQUENCE pawl.log_n CACHE 20`);
    await assert.rejects(fixture.open(), /must rise by one, with CACHE 1, NO CYCLE/);
    await client.query(`ALTER SEQUENCE pawl.log_n CACHE 1`);
    await client.query(`SET session_replication_role = replica; DELETE FROM pawl.facts;
      UPDATE pawl.partitions SET name = 'gone' WHERE parent = 'log_texts' AND low = '0'`);
    const found = await store.maintenance.quickCheck();
    assert.deepEqual(
      found.map((text) => text.replace(/\d+: the database.*/, '…')),
      [
        `job ${job.id} stands somewhere, and nothing says what it is`,
        'the partition gone of log_texts is listed, and is not there',
        'the partition log_texts_0 of log_texts is there, and is not listed',
        'the sequence calls stands at 1, behind the jobs, which go up to …',
      ],
    );
  },
);
