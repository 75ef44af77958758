// Plug-ins where there is no server: in a program of one's own, and on the command line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { defineJob, openPawl } from 'pawl';
import { auditOps, definePlugin, type PluginHost } from 'pawl/plugin';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';

const run = promisify(execFile);
const greet = defineJob('greet', { run: () => 'hello' });

/** With what a plug-in was given, once it has started. */
function greeter(): { plugin: ReturnType<typeof definePlugin>; host: () => PluginHost } {
  let seen: PluginHost | null = null;
  const plugin = definePlugin({
    name: 'greeter',
    start: (host) => {
      seen = host;
      return { jobs: [greet] };
    },
  });
  return { plugin, host: () => seen! };
}

test("a plug-in's jobs run in a program that has no server", async () => {
  const { plugin, host } = greeter();
  await using pawl = await openPawl({ database: ':memory:', jobs: [], plugins: [plugin] });
  pawl.work();
  assert.equal(await (await pawl.enqueue(greet)).result(), 'hello');
  assert.equal(host().pawl, pawl);
  assert.throws(
    () => host().secrets.seal({ tenant: 'a', id: 'b' }, 'c'),
    /run it with "pawl start"/,
  );
});

test('a plug-in uses the kinds of records that it declares, and no others', async () => {
  let host: PluginHost | null = null;
  const noted = { name: 'noted' };
  const plugin = definePlugin({
    name: 'notes',
    records: [noted],
    start: (given) => {
      host = given;
    },
  });
  await using pawl = await openPawl({ database: ':memory:', jobs: [], plugins: [plugin] });
  assert.ok(pawl);
  const { records } = host!;
  const key = { kind: noted, tenant: 't', id: 'a' };
  const entry = {
    tenant: 't',
    id: 'e',
    actor: 'notes',
    action: 'put',
    subject: 'a',
    details: null,
  };
  const ops = [{ op: 'put', ...key, body: '{}' } as const, ...auditOps([entry])];
  assert.equal((await records.write(ops)).kind, 'written');
  assert.equal((await records.read([key])).records[0]?.body, '{}');
  const stranger = { kind: { name: 'access-key' }, tenant: 't', id: 'a' };
  const refused = {
    name: 'UndeclaredRecordError',
    outcome: 'refused',
    plugin: 'notes',
    kind: 'access-key',
    message: /"notes" uses records of the kind "access-key" .*: add the kind to `records`/,
  };
  const query = { kind: stranger.kind, tenants: null };
  await assert.rejects(records.write([{ op: 'put', ...stranger, body: '{}' }]), refused);
  await assert.rejects(records.write([{ op: 'remove', ...stranger }]), refused);
  await assert.rejects(records.read([stranger]), refused);
  await assert.rejects(records.list({ ...query, limit: 1 }), refused);
  await assert.rejects(records.count(query, 'tag'), refused);
});

test('what a program does not have is missed by the plug-in that asks for it, and no other', async (context) => {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  context.after(() => database.drop());
  const { plugin, host } = greeter();
  await using pawl = await openPawl({ database: database.url, jobs: [], plugins: [plugin] });
  pawl.work();
  assert.equal(await (await pawl.enqueue(greet)).result(), 'hello');
  assert.throws(() => host().artifacts, /a store for artifacts: set it as `artifacts` of openPawl/);
});

function folderWith(context: TestContext, config: string): string {
  mkdirSync(inRepository('.cache'), { recursive: true });
  // Inside the repository, so that its packages are found.
  const folder = mkdtempSync(inRepository('.cache/configured-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'pawl.config.ts'), config);
  return folder;
}

async function pawlIn(cwd: string, ...words: readonly string[]): Promise<string> {
  const program = inRepository('packages/pawl/src/cli/main.ts');
  const said = await run(process.execPath, [program, ...words], {
    cwd,
    env: childEnvironment,
  }).catch((error: { stdout: string; stderr: string }) => error);
  return said.stdout + said.stderr;
}

const WITH_COMMAND = `
import { defineConfig } from 'pawl';
import { definePlugin } from 'pawl/plugin';
const add = (program) => program.command('wave')
  .description('wave').action(() => console.log('o/'));
export default defineConfig({ plugins: [definePlugin({ name: 'waving', commands: [add] })] });
`;

test('a command of a plug-in is there where pawl.config.ts names it, and listed', async (context) => {
  const folder = folderWith(context, WITH_COMMAND);
  assert.equal(await pawlIn(folder, 'wave'), 'o/\n');
  assert.match(await pawlIn(folder, '--help'), /^ {2}wave/m);
});

test('a configuration that fails is told by its file, and only to commands that need it', async (context) => {
  const folder = folderWith(context, 'throw new Error("no database today");');
  assert.match(
    await pawlIn(folder, 'wave'),
    /pawl\.config\.ts fails when it is loaded: .*no database/,
  );
  assert.match(await pawlIn(folder, 'completions', 'bash'), /complete/);
});
