// Every example runs, and says what its page says it shows.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { inRepository } from '../../scripts/run/repository.ts';
import { eventually } from '../support/eventually.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'pawl-examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function outputOf(path: string, more: { env?: NodeJS.ProcessEnv; args?: string[] } = {}) {
  const env = { ...childEnvironment, ...more.env };
  const args = [inRepository(path), ...(more.args ?? [])];
  return (await run(process.execPath, args, { cwd: folder, env, timeout: 180_000 })).stdout.trim();
}

test('[R14] batch: a thousand jobs are made once', async () => {
  assert.equal(
    await outputOf('examples/batch/main.ts'),
    'first: created, again: replayed\n1000 jobs, the sum of their squares is 332833500',
  );
});

test('[D16, S16] encrypted: a program and its worker can read what the database cannot', async () => {
  assert.equal(
    await outputOf('examples/encrypted/main.ts'),
    'the database does not know the patient\nthe program reads: Ada Lovelace has a cold',
  );
});

test('multi-tenant: a small tenant does not wait for a large one, nor sees its jobs', async () => {
  assert.equal(
    await outputOf('examples/multi-tenant/main.ts'),
    'small waited a little\nsmall asks for a job of large: NOT_FOUND',
  );
});

test('transactional-enqueue: a job comes to be with its row, or not at all', async (context) => {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  context.after(() => database.drop());
  const env = { DATABASE_URL: database.url };
  assert.equal(
    await outputOf('examples/transactional-enqueue/main.ts', { env }),
    'order 2 is on its way\none order was given up, 1 job was made',
  );
});

test('email: a busy server gets the mail at the second try, and once', async () => {
  assert.equal(
    await outputOf('examples/email/main.ts'),
    'succeeded after 2 attempts\n1 mail came: Welcome, Ada',
  );
});

test('indexing: a folder can be searched', async () => {
  const args = [inRepository('docs/guides'), 'cancelling'];
  const said = await outputOf('examples/indexing/main.ts', { args });
  assert.match(said, /^succeeded: \d\d files can be searched\n/);
  assert.match(said, /^learn\/failing-and-cancelling\.md: .*\[cancelling\]/m);
});

test('report: Markdown becomes a PDF', async () => {
  const file = join(folder, 'report.pdf');
  assert.match(await outputOf('examples/report/main.ts', { args: [file] }), /^\d+ slides in /);
  assert.ok(statSync(file).size > 1_000);
});

for (const [path, route, body, made] of [
  ['examples/node-http/server.ts', '/thumbnails?picture=cat.png', null, 'small-cat.png'],
  ['examples/fastify/server.ts', '/reports', { year: 2026 }, 'the report of 2026'],
  ['examples/express/server.ts', '/invoices', { order: 17 }, 'the invoice of order 17'],
] as const) {
  test(`${path}: a request is answered at once, its job later with a value`, async (context) => {
    const env = { ...childEnvironment, PORT: '0' };
    const server = spawn(process.execPath, [inRepository(path)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'exit');
    context.after(() => server.kill('SIGKILL'));
    const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
    const headers = body === null ? {} : { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}${route}`, sent);
    assert.equal(answer.status, 202);
    const { id } = (await answer.json()) as { id: string };
    const page = new URL(`${route.split('?')[0]}/${id}`, url);
    const job = await eventually('the job has succeeded', async () => {
      const found = (await (await fetch(page)).json()) as { state: string; result: unknown };
      return found.state === 'succeeded' ? found : null;
    });
    assert.equal(job.result, made);
    server.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });
}

test('every example is on the page that lists them, with its command', () => {
  const page = readFileSync(inRepository('examples/README.md'), 'utf8');
  for (const entry of readdirSync(inRepository('examples'), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    assert.match(
      page,
      new RegExp(`^\\| \\[${entry.name}\\]\\(${entry.name}.*\`[^\`]+\` \\|$`, 'm'),
    );
  }
});
