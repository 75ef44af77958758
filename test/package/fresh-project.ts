// A project that is made from nothing with npm, as on a stranger's machine.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { inRepository } from '../../scripts/run/repository.ts';
import { folder, pawl } from './packed.ts';

const run = promisify(execFile);
const project = join(folder, 'stranger');

/** npm runs with the Node of this test, as it would on a machine that has this one. */
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  npm_config_update_notifier: 'false',
};

/** What npm says when it cannot have what it does not have already. */
const AWAY = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

/** True for an npm that could not reach its registry. */
export function isAway(error: unknown): boolean {
  return AWAY.test((error as { stderr?: string }).stderr ?? '');
}

/** What installing the library may bring. */
const PACKAGES_MAX = 15;
const BYTES_MAX = 12_000_000;

function manifestsIn(root: string): string[] {
  return globSync(['*/package.json', '@*/*/package.json'], { cwd: root }).toSorted();
}

function bytesIn(root: string): number {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const PROGRAM = `import { defineJob, openPawl, typed } from 'pawl';

const greet = defineJob('greet', {
  input: typed<{ name: string }>(),
  run: ({ input }) => \`Hello, \${input.name}!\`,
});

const pawl = await openPawl({ database: 'data/pawl.db', jobs: [greet] });
pawl.work();
const job = await pawl.enqueue(greet, { name: 'world' });
console.log(await job.result());
await pawl.close();
`;

/** Installs the package with npm, compiles and runs a program, and asks npx for the command. */
export async function freshProject(context: TestContext): Promise<void> {
  mkdirSync(project);
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional', '--omit=peer'];
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
  try {
    await run('npm', ['install', ...flags, pawl.tarball], { cwd: project, env });
  } catch (error) {
    if (!isAway(error)) throw error;
    return context.skip('the package registry cannot be reached, and the cache has not enough');
  }
  const installed = join(project, 'node_modules');
  const bytes = bytesIn(installed);
  const packages = manifestsIn(installed);
  context.diagnostic(`${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  assert.ok(packages.length <= PACKAGES_MAX, packages.join(', '));
  assert.ok(bytes <= BYTES_MAX, `${bytes} bytes`);

  writeFileSync(join(project, 'main.ts'), PROGRAM);
  const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: [] };
  const files = ['main.ts', 'globals.d.ts'];
  const config = { compilerOptions: { ...options, skipLibCheck: true }, files };
  writeFileSync(join(project, 'globals.d.ts'), 'declare const console: { log(x: unknown): void };');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  await run(inRepository('node_modules/.bin/tsc'), ['--project', project]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
  const { stdout } = await run(process.execPath, ['main.ts'], { cwd: project, env });
  assert.equal(stdout.trim(), 'Hello, world!');
  const told = await run('npx', ['--no-install', 'pawl', '--version'], { cwd: project, env });
  assert.equal(told.stdout.trim(), pawl.manifest.version);
}
