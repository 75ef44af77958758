// Servers that go away, take no writes for a while, or follow others: clear errors, ridden out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examine } from 'pawl/internal/doctor/checks';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { StoreError } from 'pawl/internal/store/store-error';
import { eventually } from '../support/eventually.ts';
import { openWorld, type World } from '../support/world.ts';
import { ask, urlOf } from './life.ts';
import { DATABASE, installations, platformServer } from './servers.ts';
import { standbyOf } from './standbys.ts';

const installation = installations.at(-1)!;
const label = `postgres ${installation.major}`;

function openAt(url: string): Promise<World> {
  const types = { work: { lifecycle: 'task' } };
  return openWorld({ store: (ports) => openPostgresStore({ ...ports, url }), types });
}

/** Whether a write got through. Where it did not, surely nothing was written. */
async function isTaken(world: World): Promise<boolean> {
  try {
    await world.enqueue('work');
    return true;
  } catch (error) {
    assert.ok(error instanceof StoreError && error.outcome === 'unchanged', String(error));
    return false;
  }
}

test(`of several addresses the one that takes writes is used, before and after a failover (${label})`, async (context) => {
  const primary = await platformServer(context, installation);
  const first = await openAt(primary.platform);
  await first.close();
  const standby = await standbyOf(context, installation, primary);
  const folders = [standby.data, primary.data].join(',');
  const url = `postgres://postgres@localhost/${DATABASE}?host=${encodeURI(folders)}`;
  const world = await openAt(url);
  context.after(() => world.close());
  assert.equal(await isTaken(world), true, 'a replica at the start is passed over');
  const only = `${urlOf(standby, DATABASE)}&target_session_attrs=read-write`;
  await assert.rejects(openPostgresStore({ url: only, lifecycles }), /is a standby/);
  await primary.halt();
  await assert.rejects(world.store.now(), /is a standby/);
  await ask(standby.url, 'SELECT pg_promote()');
  assert.equal(await isTaken(world), true);
});

test(`a server that takes no writes for a while is not ready, and is ridden out (${label})`, async (context) => {
  const server = await platformServer(context, installation);
  const world = await openAt(server.platform);
  context.after(() => world.close());
  const set = async (value: string): Promise<void> => {
    await ask(server.url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await ask(server.url, 'SELECT pg_reload_conf()');
  };
  await set('on');
  await eventually('writes are refused', async () => !(await isTaken(world)));
  assert.equal((await world.store.maintenance.health()).state, 'readOnly');
  await set('off');
  await eventually('writes are taken again', () => isTaken(world));
  assert.equal((await world.store.maintenance.health()).state, 'ok');
  await ask(
    server.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${DATABASE}'`,
  );
  await eventually('and after all connections were dropped', async () => {
    await world.store.now().catch((error: unknown) => assert.ok(error instanceof StoreError));
    return isTaken(world);
  });
});

test(`the end of a wait for a synchronous standby leaves an unknown outcome (${label})`, async (context) => {
  const server = await platformServer(context, installation, { synchronous_commit: 'on' });
  const world = await openAt(server.platform);
  context.after(() => world.close());
  await ask(server.url, `ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await ask(server.url, 'SELECT pg_reload_conf()');
  const writing = assert.rejects(world.enqueue('work'), (error) => {
    assert.ok(error instanceof StoreError);
    assert.equal(error.outcome, 'unknown');
    assert.match(error.message, /wait for a synchronous standby was cancelled/);
    return true;
  });
  const cancelWaits = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE wait_event = 'SyncRep' AND datname = '${DATABASE}'`;
  await eventually('the write waits', async () => (await ask(server.url, cancelWaits)).length > 0);
  await writing;
  const findings = await examine(world.context);
  const [finding] = findings.filter(({ check }) => check === 'replication');
  assert.match(finding!.message, /no synchronous standby is connected/);
  await ask(server.url, 'ALTER SYSTEM RESET synchronous_standby_names');
  await ask(server.url, 'SELECT pg_reload_conf()');
});
