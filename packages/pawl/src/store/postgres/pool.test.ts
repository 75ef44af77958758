import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { freshDatabase } from '../../../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../../../test/support/postgres/servers.ts';
import { systemRandom } from '../../core/random.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { StoreError } from '../store-error.ts';
import { Database } from './database.ts';
import { migrate } from './migrations-runner.ts';
import { openPool } from './open-pool.ts';
import { openPostgresStore } from './store.ts';

/** What a server says to whom it sends away. */
function farewell(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Passes everything on, and sends the client away in the same breath as it is let in. */
function inhospitable(near: Socket, path: string): void {
  const far = connect({ path });
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy());
  near.pipe(far);
  far.on('data', (answer: Buffer) => {
    // The last message of a greeting: ready, outside of a transaction.
    const isReady = answer.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I', 'latin1'));
    near.write(isReady ? Buffer.concat([answer, farewell()]) : answer);
  });
}

test('a connection that ends as soon as it is made fails a call, not the process', async () => {
  const [server] = await postgresServers();
  const database = await freshDatabase(server!);
  const { pathname, searchParams } = new URL(database.url);
  const path = `${searchParams.get('host')!}/.s.PGSQL.5432`;
  const proxy = createServer((near) => inhospitable(near, path)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    const { port } = proxy.address() as AddressInfo;
    const url = `postgres://postgres@127.0.0.1:${port}${pathname}`;
    await assert.rejects(openPostgresStore({ url, lifecycles }), StoreError);
  } finally {
    proxy.close();
    await database.drop();
  }
});

/** What PgBouncer lets through as it is packaged. */
const ACCEPTED = new Set([
  'user',
  'database',
  'application_name',
  'client_encoding',
  'DateStyle',
  'TimeZone',
  'standard_conforming_strings',
]);

test('a connection begins with nothing that a pooler refuses', async () => {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const pool = await openPool({ url: `postgres://someone@127.0.0.1:${port}/somewhere` });
  const asked = assert.rejects(pool.query('SELECT 1'));
  const [near] = (await once(listening, 'connection')) as [Socket];
  const [greeting] = (await once(near, 'data')) as [Buffer];
  const words = greeting.subarray(8).toString('utf8').split('\0');
  const names = words.filter((word, index) => index % 2 === 0 && word !== '');
  assert.ok(names.includes('user'));
  for (const name of names) assert.ok(ACCEPTED.has(name), name);
  near.destroy();
  await asked;
  await pool.end();
  listening.close();
});

for (const server of await postgresServers()) {
  test(`its sessions give up on locks, on idling and on long transactions (${server.label})`, async () => {
    const database = await freshDatabase(server);
    const pool = await openPool({ url: database.url, statementTimeoutMs: 20_000 });
    // A session that has said goodbye may still be there when the database is dropped by force.
    pool.on('error', () => undefined);
    const { rows } = await pool.query<{ name: string; setting: string }>(
      `SELECT name, setting FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout',
         'idle_in_transaction_session_timeout', 'transaction_timeout') ORDER BY name`,
    );
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
    const isNew = 'transaction_timeout' in settings;
    assert.equal(isNew, Number(server.label.slice('postgres '.length)) >= 17);
    assert.deepEqual(settings, {
      lock_timeout: 10_000,
      statement_timeout: 20_000,
      idle_in_transaction_session_timeout: 30_000,
      ...(isNew ? { transaction_timeout: 60_000 } : {}),
    });
    await pool.end();
    await database.drop();
  });
}

const SESSIONS = `SELECT name FROM pg_prepared_statements ORDER BY name`;

for (const server of await postgresServers()) {
  test(`its own sessions keep the statements of verbs, and do without (${server.label})`, async () => {
    const fresh = await freshDatabase(server);
    const pool = await openPool({ url: fresh.url, poolSize: 1 });
    pool.on('error', () => undefined);
    const random = systemRandom;
    const own = new Database({ pool, isOwn: true, schema: 'pawl', random });
    const lent = new Database({ pool, isOwn: false, schema: 'pawl', random });
    await migrate(own);
    for (const [database, kept] of [
      [lent, []],
      [own, ['until_due 1']],
    ] as const) {
      await database.findPooler();
      for (let n = 0; n < 2; n++) await database.ask('until_due', [null]);
      const names = (await database.read<{ name: string }>(SESSIONS)).map(({ name }) => name);
      assert.deepEqual(names, kept);
    }
    // As behind a pooler that could not be told from the server: another session, without them.
    await own.write('DEALLOCATE ALL');
    assert.equal((await own.ask('until_due', [null])).length, 1);
    assert.deepEqual(await own.read(SESSIONS), []);
    await own.close();
    await fresh.drop();
  });
}
