// What `npm pack` makes: complete, small, and usable from a project that has nothing else.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { inRepository } from '../../scripts/run/repository.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'pawl-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  readonly exports: Record<string, unknown>;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Manifest;
const app = join(folder, 'app');
const installed = join(app, 'node_modules/pawl');

/** Built and packed from a folder of its own, so that nobody's `dist` is in the way. */
async function pack(): Promise<string[]> {
  const own = join(folder, 'pawl');
  for (const name of ['package.json', 'README.md', 'LICENSE']) {
    cpSync(inRepository(name), join(own, name));
  }
  await run(process.execPath, [inRepository('scripts/build.ts'), join(own, 'dist')]);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: own });
  const [file] = globSync('*.tgz', { cwd: folder });
  mkdirSync(installed, { recursive: true });
  await run('tar', ['xzf', join(folder, file!), '-C', installed, '--strip-components=1']);
  return globSync('**/*.*', { cwd: installed }).map((path) => path.replaceAll('\\', '/'));
}

/** What an install would have brought along. */
function link(names: readonly string[]): void {
  for (const name of names) {
    const target = join(app, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(inRepository('node_modules', name), target);
  }
}

const files = await pack();
link(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
writeFileSync(join(app, 'package.json'), '{"type":"module"}');

async function runApp(code: string): Promise<string> {
  writeFileSync(join(app, 'main.mjs'), code);
  return (await run(process.execPath, ['main.mjs'], { cwd: app })).stdout.trim();
}

test('the package has what is built, the dashboard, and neither sources nor tests', () => {
  const kinds = new Set(files.map((path) => /\.(?:d\.ts|\w+)$/.exec(path)![0]));
  assert.deepEqual([...kinds].toSorted(), [
    '.css',
    '.d.ts',
    '.html',
    '.js',
    '.json',
    '.md',
    '.svg',
  ]);
  assert.deepEqual(
    files.filter((path) => /\.test\.|\.map$|^(?:src|test|examples|docs)\//.test(path)),
    [],
  );
  for (const path of ['dist/index.js', 'dist/cli/main.js', 'dist/dashboard/index.html']) {
    assert.ok(files.includes(path), path);
  }
  assert.ok(readFileSync(join(installed, 'LICENSE'), 'utf8').includes('MIT'));
});

const names = Object.keys(manifest.exports).map((path) => `pawl${path.slice(1)}`);

test('SQLite needs no driver of PostgreSQL: a job runs without it', async () => {
  const code = `
    import { defineJob, openPawl, task } from 'pawl';
    const hello = defineJob({ type: 'hello', lifecycle: task, run: () => 'world' });
    const pawl = await openPawl({ database: 'data/pawl.db', jobs: [hello] });
    pawl.work();
    const job = await pawl.enqueue(hello, null);
    await pawl.ended(job);
    console.log(await pawl.result(job));
    await pawl.close();`;
  assert.equal(await runApp(code), 'world');
});

test('the command line starts from what is packed', async () => {
  const words = [join(installed, 'dist/cli/main.js')];
  const { stdout } = await run(process.execPath, [...words, '--version'], { cwd: app });
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal(stdout.trim(), version);
  const { stdout: settings } = await run(process.execPath, [...words, 'config'], { cwd: app });
  assert.match(settings, /DATABASE_URL/);
});

test('every path of the package can be imported, and its types fit', async () => {
  link(['pg', '@types/node', '@types/pg']);
  const modules = names.filter((name) => !name.endsWith('.json'));
  const lines = modules.map(
    (name) => `console.log(Object.keys(await import('${name}')).length > 0);`,
  );
  assert.equal(await runApp(lines.join('\n')), modules.map(() => 'true').join('\n'));

  const imports = modules.map((name, index) => `import * as m${index} from '${name}';`);
  const uses = modules.map((_, index) => `m${index}`).join(', ');
  writeFileSync(
    join(app, 'main.ts'),
    `${imports.join('\n')}
import { defineJob, task, trusted } from 'pawl';
export const all: readonly object[] = [${uses}];
export const hello = defineJob({
  type: 'hello',
  lifecycle: task,
  input: trusted<{ name: string }>(),
  run: ({ input }) => input.name,
});
// @ts-expect-error a wrong input does not compile
export const wrong: Parameters<typeof hello.run>[0]['input'] = { name: 1 };
`,
  );
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(
    join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  );
  await run(inRepository('node_modules/.bin/tsc'), ['--project', app]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
});
