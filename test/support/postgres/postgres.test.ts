import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import pg from 'pg';
import { canReach } from './account.ts';
import { startCluster } from './cluster.ts';
import { freshDatabase } from './fresh-database.ts';
import { findInstallations } from './installations.ts';
import { postgresServers, variableFor } from './servers.ts';

// With a server from elsewhere there may be nothing on this machine to start.
const needsBinaries = { skip: findInstallations().length === 0 };

async function firstRow(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0];
  } finally {
    await client.end();
  }
}

test('every server is really the version its label says', async () => {
  const servers = await postgresServers();
  assert.ok(servers.length > 0);
  for (const server of servers) {
    const [version] = (await firstRow(server.url, 'show server_version')) as [string];
    assert.equal(`postgres ${Number.parseInt(version, 10)}`, server.label);
  }
});

test('a fresh database is empty, separate from others and gone after drop', async () => {
  for (const server of await postgresServers()) {
    const [one, other] = await Promise.all([freshDatabase(server), freshDatabase(server)]);
    await firstRow(one.url, 'create table only_here (id int)');
    const tables = `select count(*)::int from pg_tables where schemaname = 'public'`;
    assert.deepEqual(await firstRow(one.url, tables), [1]);
    assert.deepEqual(await firstRow(other.url, tables), [0]);
    await Promise.all([one.drop(), other.drop()]);
    await assert.rejects(firstRow(one.url, 'select 1'), /does not exist/);
  }
});

test('drop succeeds while a client is still connected', async () => {
  const [server] = await postgresServers();
  assert.ok(server);
  const database = await freshDatabase(server);
  const client = new pg.Client({ connectionString: database.url });
  const lost = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await database.drop();
  await lost;
});

test('a server handed over by the runner is used, and not stopped', async () => {
  const [server] = await postgresServers();
  assert.ok(server);
  const variable = variableFor(server);
  const script = `
    import { postgresServers } from ${JSON.stringify(import.meta.resolve('./servers.ts'))};
    const servers = await postgresServers();
    for (const each of servers) await each.stop();
    console.log(JSON.stringify(servers.map(({ url }) => url)));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env['PATH'], [variable]: server.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  assert.deepEqual(JSON.parse(String(line)), [server.url]);
  assert.deepEqual(await firstRow(server.url, 'select 1'), [1]);
});

test('a killed process takes its servers with it', needsBinaries, async () => {
  const script = `
    import { postgresServers } from ${JSON.stringify(import.meta.resolve('./servers.ts'))};
    console.log(JSON.stringify(await postgresServers()));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const urls = (JSON.parse(String(line)) as { url: string }[]).map(({ url }) => url);
  const clients = urls.map((url) => new pg.Client({ connectionString: url }));
  const cut = clients.map((client) => new Promise((gone) => client.on('error', gone)));
  await Promise.all(clients.map((client) => client.connect()));
  child.kill('SIGKILL');
  await Promise.all(cut);
  for (const url of urls) {
    await assert.rejects(firstRow(url, 'select 1'));
  }
});

test('stop removes the folder', needsBinaries, async () => {
  const [installation] = findInstallations();
  assert.ok(installation);
  const cluster = await startCluster(installation.binFolder);
  const folder = new URL(cluster.url).searchParams.get('host') ?? '';
  assert.ok(existsSync(folder));
  await cluster.stop();
  assert.equal(existsSync(folder), false);
});

test('a folder closed to others cannot be reached by another account', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-reach-'));
  const file = join(folder, 'binary');
  writeFileSync(file, '', { mode: 0o755 });
  const stranger = { uid: 54_321, gid: 54_321 };
  try {
    chmodSync(folder, 0o755);
    assert.equal(canReach(file, stranger), true);
    chmodSync(folder, 0o700);
    assert.equal(canReach(file, stranger), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
