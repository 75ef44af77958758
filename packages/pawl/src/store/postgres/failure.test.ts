import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import type { StoreError } from '../store-error.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import { failureOf, isMissingPartition } from './failure.ts';
import { openPostgresStore } from './store.ts';

const WAITING = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%apply_moves%'`;

await onEveryServer(
  'a write whose connection ended under way has an unknown outcome',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const job = await scene.running();
    const client = await fixture.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM pawl.live FOR UPDATE');
    const write = assert.rejects(store.apply([scene.move(job, { on: 'succeed' })]), {
      name: 'StoreError',
      outcome: 'unknown',
    });
    const watcher = await fixture.connect();
    let ended = 0;
    while (ended === 0) {
      const end = `SELECT pg_terminate_backend(pid) FROM (${WAITING}) w`;
      ended = (await watcher.query(end)).rowCount ?? 0;
    }
    await write;
    await client.query('ROLLBACK');
    assert.deepEqual(await scene.read(job), job);
    assert.equal((await scene.ask(job, { on: 'succeed' })).phase, 'succeeded');
  },
);

test('a server that ends because its disk fails says what is wrong, and not whether it wrote', () => {
  const panic = (code: string): Error =>
    Object.assign(new Error('could not fsync file'), { code, severity: 'PANIC' });
  const found = ['58030', '53100', '57P02'].map((code) => failureOf(panic(code), 'write'));
  assert.deepEqual(
    found.map(({ outcome, trouble }) => [outcome, trouble]),
    [
      ['unknown', 'failing'],
      ['unknown', 'full'],
      ['unknown', null],
    ],
  );
});

await onEveryServer(
  'idle connections that the server ends are replaced in silence',
  async (fixture) => {
    const store = await fixture.open();
    await fixture.scene(store).enqueue();
    const client = await fixture.connect();
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'pawl'`);
    while ((await store.now().catch(() => null)) === null);
    await fixture.scene(store).enqueue();
  },
);

await onEveryServer('a pool of the caller is used as it is, and left open', async (fixture) => {
  const pool = fixture.pool();
  const store = await fixture.open({ pool });
  await fixture.scene(store).running();
  await store.close();
  await assert.rejects(store.now(), { outcome: 'unchanged', message: 'the store is closed' });
  assert.equal((await pool.query('SELECT 1 AS one')).rows[0].one, 1);
});

test('a server that cannot be reached has surely changed nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  const url = `postgres://nobody@127.0.0.1:${port}/none`;
  const open = openPostgresStore({ url, lifecycles: builtInLifecycles });
  await assert.rejects(open, { name: 'StoreError', outcome: 'unchanged' });
});

test('a connection that is cut while it is made has surely changed nothing', async () => {
  const server = createServer((socket: Socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = `postgres://nobody@127.0.0.1:${port}/none`;
  const open = openPostgresStore({ url, lifecycles: builtInLifecycles });
  await assert.rejects(open, { name: 'StoreError', outcome: 'unchanged' });
  server.close();
});

const STATES: Readonly<Record<string, StoreError['outcome']>> = {
  '40001': 'unchanged',
  '40P01': 'unchanged',
  '55P03': 'unchanged',
  '57014': 'unchanged',
  '53300': 'unchanged',
  '22021': 'refused',
  '23505': 'refused',
  '42P01': 'refused',
  '42501': 'refused',
  PW001: 'refused',
};

test('an error of the server is no lost answer: the statement was rolled back', () => {
  for (const [code, outcome] of Object.entries(STATES)) {
    const error = Object.assign(new Error('no'), { code, severity: 'ERROR' });
    assert.equal(failureOf(error, 'write').outcome, outcome, code);
  }
  const fatal = Object.assign(new Error('bye'), { code: '57P01', severity: 'FATAL' });
  assert.equal(failureOf(fatal, 'write').outcome, 'unknown');
  assert.equal(failureOf(fatal, 'read').outcome, 'unchanged');
  assert.equal(failureOf(new Error('Connection terminated'), 'write').outcome, 'unknown');
});

test('a partition that is missing is known by its code, in any language', () => {
  const message = 'keine Partition von Relation „facts“ für die Zeile gefunden';
  const error = { code: '23514', severity: 'FEHLER', table: 'facts' };
  assert.equal(isMissingPartition(Object.assign(new Error(message), error)), true);
  const check = { ...error, constraint: 'live_check' };
  assert.equal(isMissingPartition(Object.assign(new Error(message), check)), false);
});

test('an error that comes in place of a session is none of a statement', () => {
  const errors = [
    { code: '57P03', message: 'the database system is starting up' },
    { code: '53300', message: 'sorry, too many clients already' },
    { code: '08P01', message: 'query_wait_timeout' },
    { code: '08P01', message: 'server login has been failing, try again (server_login_retry)' },
  ];
  for (const { code, message } of errors) {
    const error = Object.assign(new Error(message), { code, severity: 'FATAL' });
    assert.equal(failureOf(error, 'write').outcome, 'unchanged', message);
  }
});
