// Three roles of PostgreSQL: one makes the tables, one works with them, one reads for a tenant.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { onEveryServer, type StoreFixture } from '../support/postgres/store-fixture.ts';

/** What a role needs to run the platform: to read, and to call the verbs. */
async function withRunner(
  fixture: StoreFixture,
  body: (role: string) => Promise<void>,
): Promise<void> {
  const role = `runner_${randomBytes(6).toString('hex')}`;
  const client = await fixture.connect();
  await client.query(`
    CREATE ROLE ${role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    GRANT USAGE ON SCHEMA pawl, pawl_verbs_1 TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO ${role};
    GRANT SELECT ON ALL SEQUENCES IN SCHEMA pawl TO ${role};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pawl, pawl_verbs_1 TO ${role}`);
  try {
    await body(role);
  } finally {
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
}

await onEveryServer(
  '[S19] a role that may read and call the verbs runs jobs and writes no row by itself',
  async (fixture) => {
    await fixture.open();
    await withRunner(fixture, async (role) => {
      const joiner = fixture.url.includes('?') ? '&' : '?';
      const url = `${fixture.url}${joiner}options=-c%20role%3D${role}`;
      const store = await fixture.open({ url, migrate: 'check' });
      const scene = fixture.scene(store);
      const job = await scene.running({ type: 'platform' });
      await scene.ask(job, { on: 'succeed' });
      const listed = await store.list({ tenant: scene.tenant, limit: 10 });
      assert.equal(listed.jobs[0]!.phase, 'succeeded');
      const client = await fixture.connect();
      await client.query(`SET ROLE ${role}`);
      for (const sql of [
        'DROP TABLE pawl.live',
        'ALTER TABLE pawl.live DISABLE TRIGGER ALL',
        'DELETE FROM pawl.live',
        `UPDATE pawl.ended SET result = '1'`,
        'CREATE TABLE pawl.mine (id int)',
        'TRUNCATE pawl.live',
        'CREATE ROLE another SUPERUSER',
        "COPY (SELECT 1) TO PROGRAM 'true'",
      ]) {
        await assert.rejects(client.query(sql), /permission denied|must be owner|superuser/i, sql);
      }
    });
  },
);
