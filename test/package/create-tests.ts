// `npm create pawl` from what is packed: the project installs, compiles, passes its test and runs.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { inRepository } from '../../scripts/run/repository.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { isAway } from './fresh-project.ts';
import { all, environment, folder, whole } from './packed.ts';

const run = promisify(execFile);
const env: NodeJS.ProcessEnv = {
  ...environment,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  HOME: process.env['HOME'],
  NO_COLOR: '1',
};
const FLAGS = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional', '--omit=dev'];

/** Creates a project and installs the packed packages; null where npm cannot get the others. */
async function project(name: string, words: readonly string[]): Promise<string | null> {
  const main = join(whole.installed('create-pawl'), 'dist/main.js');
  await run(process.execPath, [main, name, ...words], { cwd: folder, env });
  const cwd = join(folder, name);
  const isUsed = words.includes('--no-dashboard') ? /^pawl$/ : /^(?:pawl|@pawl\/server)$/;
  const ours = all.filter(({ manifest }) => isUsed.test(manifest.name));
  const tarballs = ours.map(({ tarball }) => tarball);
  try {
    await run('npm', ['install', ...FLAGS, ...tarballs], { cwd, env: { ...process.env, ...env } });
  } catch (error) {
    if (isAway(error)) return null;
    throw error;
  }
  // The compiler and its types are this repository's: they are large, and nothing of ours.
  symlinkSync(inRepository('node_modules/@types'), join(cwd, 'node_modules/@types'));
  return cwd;
}

async function checkAndTest(cwd: string): Promise<void> {
  await run(inRepository('node_modules/.bin/tsc'), ['--project', cwd]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
  const { stdout } = await run('npm', ['test'], { cwd, env });
  assert.match(stdout, /pass 4$[\s\S]*fail 0$/m);
}

/** Starts the project by npm and resolves with the first line that has something in it. */
async function started(context: TestContext, cwd: string, expected: RegExp, more: object) {
  const args = context.name.includes('dashboard')
    ? ['node_modules/pawl/dist/cli/main.js', 'start']
    : ['src/main.ts'];
  const program = spawn(process.execPath, args, { cwd, env: { ...env, ...more } });
  context.after(() => program.kill('SIGKILL'));
  const ended = once(program, 'exit');
  const said: string[] = [];
  program.stderr.on('data', (text: Buffer) => said.push(String(text)));
  for await (const line of createInterface({ input: program.stdout })) {
    said.push(line);
    const found = expected.exec(line);
    if (found !== null) return { program, ended, found };
  }
  return assert.fail(`it ended without ${String(expected)}: ${said.join('\n')}`);
}

const AWAY = 'the package registry cannot be reached, and the cache has not enough';

test('npm create pawl: a project with SQLite and the dashboard runs a job', async (context) => {
  const cwd = await project('created-dashboard', []);
  if (cwd === null) return context.skip(AWAY);
  await checkAndTest(cwd);
  const more = { PORT: '0', LOG_FORMAT: 'json' };
  const { program, ended, found } = await started(context, cwd, /"url":"([^"]+)"/, more);
  const url = found[1]!;
  const input = JSON.stringify({ email: 'ada@example.com' });
  const words = ['enqueue', 'welcome', '--input', input, '--wait', '--url', url];
  const { stdout } = await run('npx', ['--no-install', 'pawl', ...words], { cwd, env });
  assert.match(stdout, /sentTo.*ada@example\.com/s);
  assert.equal((await fetch(`${url}/v1/schedules/nightly`)).status, 200);
  program.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('npm create pawl: a project with PostgreSQL as a library runs a job', async (context) => {
  const server = (await postgresServers()).at(-1)!;
  const database = await freshDatabase(server);
  context.after(() => database.drop());
  const cwd = await project('created-library', ['--store', 'postgres', '--no-dashboard']);
  if (cwd === null) return context.skip(AWAY);
  await checkAndTest(cwd);
  const done = /^done: \{ sentTo: 'ada@example\.com' \}$/;
  const { program, ended } = await started(context, cwd, done, { DATABASE_URL: database.url });
  program.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
