// What the command line says of jobs: results, holds, and filters that cannot be meant.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { tableLines } from 'pawl/internal/cli/terminal/table';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { freePort } from '../support/free-port.ts';
import { cliPath, type Fixture, openFixture, runPawl } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
});
after(() => fixture.close());

test('jobs submit lets a held job go, and jobs result prints what it gave', async () => {
  const { client } = fixture;
  await client.putType('draft', { lifecycle: 'document' });
  const { id } = await client.enqueue({ type: 'draft', input: 1, submit: false });
  assert.equal((await fixture.pawl(['jobs', 'result', id])).code, 5);
  const submitted = await fixture.pawl(['jobs', 'submit', id]);
  assert.equal(submitted.code, 0, submitted.stderr);
  const post = (path: string, body: object): Promise<unknown> =>
    client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['draft'], max: 1 });
  await post(`/v1/jobs/${id}/start`, { workerId: 'w', epoch: 1 });
  await post(`/v1/jobs/${id}/complete`, { workerId: 'w', epoch: 1, result: { pages: 3 } });
  const { code, stdout } = await fixture.pawl(['jobs', 'result', id]);
  assert.deepEqual([code, JSON.parse(stdout)], [0, { pages: 3 }]);
});

test('a state that no lifecycle has is refused, with those that there are', async () => {
  const { code, stderr } = await fixture.pawl(['jobs', 'ls', '--state', 'bogus']);
  assert.equal(code, 2);
  assert.match(stderr, /--state is "bogus", which no lifecycle has: give one of .*succeeded/);
  assert.equal((await fixture.pawl(['jobs', 'ls', '--state', 'succeeded'])).code, 0);
});

test('a database that cannot be reached is said by its setting, without the password', async () => {
  const env = { DATABASE_URL: 'postgres://pawl:s3cret@127.0.0.1:1/jobs' };
  const { code, stderr } = await runPawl(['migrate'], { url: 'http://127.0.0.1:1', env });
  assert.notEqual(code, 0);
  assert.match(stderr, /DATABASE_URL names 127\.0\.0\.1:1, where nothing listens/);
  assert.doesNotMatch(stderr, /s3cret/);
});

test('a table is no wider than the terminal, and its first column is whole', () => {
  const rows = [
    { id: '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e', a: 'x'.repeat(60), b: 'y'.repeat(60) },
  ];
  const columns = [
    { title: 'ID', text: (row: (typeof rows)[0]) => row.id },
    { title: 'A', text: (row: (typeof rows)[0]) => row.a },
    { title: 'B', text: (row: (typeof rows)[0]) => row.b },
  ];
  const screen = { columns: 80, paint: (_: unknown, text: string) => text };
  const lines = tableLines(screen, columns, rows);
  for (const line of lines) assert.ok(line.length <= 80, String(line.length));
  assert.ok(lines[1]!.startsWith(rows[0]!.id));
});

test('a worker that is started before its server waits for it', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const jobs = fileURLToPath(new URL('../../examples/quick-start/count.ts', import.meta.url));
  const env = { ...childEnvironment, PAWL_URL: url };
  const worker = spawn(process.execPath, [cliPath, 'worker', '--jobs', jobs], { env });
  const lines = createInterface(worker.stderr)[Symbol.asyncIterator]();
  const ended = once(worker, 'exit');
  const said = async (what: RegExp): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(done !== true, `it ended without ${String(what)}`);
      if (what.test(value)) return;
    }
  };
  try {
    await said(/^Waiting for http/);
    const settings = { PORT: String(port), PAWL_DATA: `${fixture.folder}/late` };
    const late = await startPlatform(readConfiguration(settings), { warn: () => undefined });
    try {
      await said(/^Working for http/);
    } finally {
      worker.kill('SIGTERM');
      await ended;
      await late.stop();
    }
  } finally {
    worker.kill('SIGKILL');
  }
});
