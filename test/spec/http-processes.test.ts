// Real servers in processes of their own, killed where it hurts.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { ApiClient } from 'pawl/client';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';

const serverPath = fileURLToPath(new URL('http-server-process.ts', import.meta.url));
const atOnce = { sleep: () => Promise.resolve() };

interface ServerProcess {
  readonly url: string;
  readonly client: ApiClient;
  readonly ended: Promise<unknown>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<unknown>;
}

const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill('SIGKILL');
});

async function startServer(database: string, crash = ''): Promise<ServerProcess> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [serverPath, database, crash], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const ended = once(child, 'exit').finally(() => children.delete(child));
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url,
    client: new ApiClient({ url, timers: atOnce, retriesMax: 0 }),
    ended,
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Every database that users have, by name. */
async function databases(): Promise<{ label: string; database: string }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-http-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const found = [{ label: 'sqlite', database: join(folder, 'pawl.db') }];
  for (const server of await postgresServers()) {
    const fresh = await freshDatabase(server);
    after(() => fresh.drop());
    found.push({ label: server.label, database: fresh.url });
  }
  return found;
}

for (const { label, database } of await databases()) {
  void describe(label, () => {
    test('[P10, R28] kill -9 after the insert, before the answer: one job', async () => {
      const before = await startServer(database);
      await before.client.putType('mail', { lifecycle: 'platform' });
      await before.kill('SIGTERM');
      const doomed = await startServer(database, 'die-after-insert');
      const job = { type: 'mail', input: { to: 'ann' } };
      const options = { idempotencyKey: 'mail to ann' };
      await assert.rejects(doomed.client.enqueue(job, options), { code: 'OUTCOME_UNKNOWN' });
      await doomed.ended;
      const next = await startServer(database);
      const { items: stored } = await next.client.jobs({ type: 'mail' });
      assert.equal(stored.length, 1);
      const found = await next.client.enqueue(job, options);
      assert.equal(found.id, stored[0]!.id);
      assert.equal((await next.client.jobs({ type: 'mail' })).items.length, 1);
      await next.kill('SIGTERM');
    });
  });
}

for (const server of await postgresServers()) {
  void describe(server.label, () => {
    test('[T9, R28] 64 parallel submits with one key on two servers make one job', async () => {
      const fresh = await freshDatabase(server);
      const servers = await Promise.all([startServer(fresh.url), startServer(fresh.url)]);
      const [one] = servers;
      await one.client.putType('mail', { lifecycle: 'task' });
      const accepted = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          servers[index % 2]!.client.enqueue(
            { type: 'mail', input: { to: 'ann' } },
            { idempotencyKey: 'once' },
          ),
        ),
      );
      assert.equal(new Set(accepted.map(({ id }) => id)).size, 1);
      assert.equal((await one.client.jobs({})).items.length, 1);
      await Promise.all(servers.map((each) => each.kill('SIGTERM')));
      await fresh.drop();
    });

    test('/readyz tells of a schema that is behind, and of a database that is gone', async () => {
      const fresh = await freshDatabase(server);
      const one = await startServer(fresh.url);
      const ready = async (): Promise<[number, string]> => {
        const answer = await fetch(`${one.url}/readyz`);
        const { checks } = (await answer.json()) as { checks: { store: string } };
        return [answer.status, checks.store];
      };
      assert.deepEqual(await ready(), [200, 'ok']);
      const client = new Client({ connectionString: fresh.url });
      await client.connect();
      const { rows } = await client.query(
        `DELETE FROM pawl.migrations
         WHERE version = (SELECT max(version) FROM pawl.migrations) RETURNING *`,
      );
      assert.deepEqual(await ready(), [503, 'behind']);
      const [last] = rows as { version: number; name: string }[];
      const back = 'INSERT INTO pawl.migrations (version, name) VALUES ($1, $2)';
      await client.query(back, [last!.version, last!.name]);
      assert.deepEqual(await ready(), [200, 'ok']);
      await client.end();
      await fresh.drop();
      assert.deepEqual(await ready(), [503, 'unreachable']);
      assert.equal((await fetch(`${one.url}/livez`)).status, 200);
      await one.kill('SIGKILL');
    });

    test('[P12] streams go on at the other server, without a gap or a repeat', async () => {
      const fresh = await freshDatabase(server);
      const [one, two] = await Promise.all([startServer(fresh.url), startServer(fresh.url)]);
      await one.client.putType('ai', { lifecycle: 'task' });
      const job = await one.client.enqueue({ type: 'ai' });
      const stop = new AbortController();
      const { signal } = stop;
      const log = one.client.everything({ from: 'start' }, { signal });
      const first = one.client.events(job.id);
      assert.equal((await first.next()).value?.kind, 'snapshot');
      const claims = await call(two, '/v1/claims', { workerId: 'w', types: ['ai'], max: 1 });
      const held = { workerId: 'w', epoch: claims.jobs[0].epoch };
      const url = `/v1/jobs/${job.id}`;
      await call(two, `${url}/heartbeat`, { ...held, tokens: 'Hel' });
      const seen: string[] = [];
      let cursor = '';
      let logCursor = '';
      for await (const item of first) {
        cursor = item.cursor!;
        if (item.kind === 'event') seen.push(item.event.type);
        if (seen.includes('job_tokens')) break;
      }
      const logged: string[] = [];
      for await (const item of log) {
        logCursor = item.cursor!;
        if (item.kind === 'event') logged.push(item.event.id);
        if (logged.length === 2) break;
      }
      await one.kill('SIGKILL');
      await call(two, `${url}/heartbeat`, { ...held, tokens: 'lo' });
      await call(two, `${url}/complete`, { ...held, result: 'Hello' });
      for await (const item of two.client.events(job.id, { cursor })) {
        if (item.kind === 'event') seen.push(item.event.type);
      }
      const beat = ['job_heartbeat', 'job_tokens'];
      assert.deepEqual(seen, ['job_claimed', ...beat, ...beat, 'job_succeeded']);
      for await (const item of two.client.everything({}, { signal, cursor: logCursor })) {
        if (item.kind === 'event') logged.push(item.event.id);
        if (logged.length === 7) break;
      }
      const history = await fetch(`${two.url}${url}/events?limit=100`);
      const { items } = (await history.json()) as { items: { id: string }[] };
      assert.deepEqual(
        logged,
        items.map(({ id }) => id),
      );
      stop.abort();
      await two.kill('SIGTERM');
      await fresh.drop();
    });
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
async function call(server: ServerProcess, path: string, body: object): Promise<any> {
  const { body: answer } = await server.client.connection.call({ method: 'POST', path, body });
  return answer;
}
