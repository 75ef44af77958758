// What `npm pack` makes: complete, small, right for the compiler, and usable from a project that
// has nothing else.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { nodeFault } from 'pawl/internal/worker/node-version';
import { freshProject } from './fresh-project.ts';
import { App, folder, manifest, pathsIn, smallest, tarball } from './packed.ts';
import { reachable } from './reachable.ts';

const run = promisify(execFile);
const signal = new AbortController().signal;
const files = pathsIn(smallest.installed);
const modules = Object.keys(manifest.exports)
  .map((path) => `pawl${path.slice(1)}`)
  .filter((name) => !name.endsWith('.json'));

/** What programs of users in TypeScript have besides. */
const TYPED = ['zod', '@types/node', '@types/pg'];

const ALLOWED: readonly RegExp[] = [
  /^(?:package\.json|README\.md|LICENSE)$/,
  /^dist\/(?!dashboard\/).*\.(?:js|d\.ts)$/,
  /^dist\/store\/(?:postgres|sqlite)\/sql\/[\w-]+\.sql$/,
  /^dist\/dashboard\/(?:index\.html|mark\.svg)$/,
  /^dist\/dashboard\/assets\/[\w.-]+\.(?:js|css)$/,
];

test('the package has what is built, the dashboard with the guides, and nothing else', () => {
  const others = files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)));
  assert.deepEqual(others, []);
  assert.deepEqual(
    files.filter((path) => path.includes('.test.')),
    [],
  );
  const sql = ['postgres', 'sqlite'].map((store) => `store/${store}/sql/claim.sql`);
  const parts = ['index.js', 'cli/main.js', 'dashboard/index.html', ...sql];
  for (const path of parts.map((part) => `dist/${part}`)) {
    assert.ok(files.includes(path), path);
  }
  assert.ok(files.some((path) => /^dist\/dashboard\/assets\/first-job-[\w-]+\.js$/.test(path)));
  assert.ok(readFileSync(join(smallest.installed, 'LICENSE'), 'utf8').includes('MIT'));
});

test('every module in the package comes from a source, and can be reached by its users', () => {
  const own = files.filter((path) => path.endsWith('.js') && !path.includes('dashboard'));
  for (const path of own) {
    const source = path.replace('dist/', 'src/').replace(/js$/, 'ts');
    assert.ok(existsSync(inRepository(source)), source);
  }
  const targets = Object.values(manifest.exports).map((target) =>
    typeof target === 'string' ? target : target.default,
  );
  const entries = [...targets, ...Object.values(manifest.bin)].map((path) => path.slice(2));
  // Started by its name, as a thread or a process of its own.
  entries.push('dist/worker/isolate/child.js');
  const reached = reachable(smallest.installed, entries);
  assert.deepEqual(
    own.filter((path) => !reached.has(path)),
    [],
  );
});

test('the package is small', (context) => {
  const packed = statSync(tarball).size;
  const sizes = files.map((path) => statSync(join(smallest.installed, path)).size);
  const unpacked = sizes.reduce((sum, size) => sum + size, 0);
  context.diagnostic(`${packed} bytes packed, ${unpacked} unpacked, ${files.length} files`);
  assert.ok(packed < 1_500_000, `${packed} bytes packed`);
});

test('publint finds nothing to say', async () => {
  const { isGood, output } = await runTool('publint', [tarball, '--strict'], signal);
  assert.ok(isGood, output);
});

test('the types are right for modules and bundlers, says arethetypeswrong', async () => {
  const args = [tarball, '--profile', 'esm-only', '--no-emoji'];
  const { isGood, output } = await runTool('attw', args, signal);
  assert.ok(isGood, output);
});

test('SQLite needs no driver of PostgreSQL: a job runs without it', async () => {
  const code = `
    import { defineJob, openPawl } from 'pawl';
    const hello = defineJob('hello', { run: () => 'world' });
    const pawl = await openPawl({ database: 'data/pawl.db', jobs: [hello] });
    pawl.work();
    const job = await pawl.enqueue(hello);
    console.log(await job.result());
    await pawl.close();`;
  assert.equal(await smallest.run(code), 'world');
});

/** Nodes on this machine that are too old for the package. */
function oldNodes(): string[] {
  const nodes = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'node'));
  return nodes.filter((node) => {
    if (!existsSync(node)) return false;
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    return nodeFault(version) !== null;
  });
}

test('the library tells an old Node which one it needs, in one sentence', async (context) => {
  const [node] = oldNodes();
  if (node === undefined) return context.skip('there is no old Node on this machine');
  const code = `
    import { openPawl } from 'pawl';
    await openPawl({ database: ':memory:', jobs: [] }).catch((e) => console.log(e.message));`;
  assert.match(await smallest.run(code, node), /^Node 24\.16 or newer is needed, and this is \d/);
});

test('the command line starts from what is packed', async () => {
  assert.equal((await smallest.pawl(['--version'])).trim(), manifest.version);
  assert.match(await smallest.pawl(['config']), /DATABASE_URL/);
});

test('pawl start serves the dashboard and the guides from what is packed', async (context) => {
  const env = { PATH: process.env['PATH'], PORT: '0', PAWL_DATA: join(folder, 'served') };
  const server = spawn(process.execPath, [join(smallest.installed, 'dist/cli/main.js'), 'start'], {
    cwd: smallest.folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  context.after(() => server.kill('SIGKILL'));
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<title>Pawl<\/title>/);
  const guide = files.find((path) => path.includes('assets/first-job-'))!;
  const part = await fetch(`${url}/${guide.replace('dist/dashboard/', '')}`);
  assert.match(await part.text(), /A first job/);
  assert.match(part.headers.get('content-security-policy') ?? '', /default-src 'self'/);
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('every path of the package can be imported, and its types fit', async () => {
  const { dependencies, optionalDependencies } = manifest;
  const app = await new App('whole', [
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    'pg',
    ...TYPED,
  ]).unpack();
  const lines = modules.map(
    (name) => `console.log(Object.keys(await import('${name}')).length > 0);`,
  );
  assert.equal(await app.run(lines.join('\n')), modules.map(() => 'true').join('\n'));
  writeProject(app.folder);
  await run(inRepository('node_modules/.bin/tsc'), ['--project', app.folder]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
});

test('inference holds for who has the declarations alone, members of Context included', async () => {
  const app = await new App('typed', [...TYPED, ...Object.keys(manifest.dependencies)]).unpack();
  const programs = inRepository('test/types/programs');
  const sources = globSync('*.ts', { cwd: programs });
  for (const file of sources) cpSync(join(programs, file), join(app.folder, file));
  const options = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true };
  const compilerOptions = { ...options, types: ['node'], skipLibCheck: true };
  const config = JSON.stringify({ compilerOptions, files: sources });
  writeFileSync(join(app.folder, 'tsconfig.json'), config);
  await run(inRepository('node_modules/.bin/tsc'), ['--project', app.folder]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
});

test('a fresh TypeScript project installs it, compiles, runs, and finds the command', freshProject);

/** A program in TypeScript that uses every path, and a configuration for it. */
function writeProject(target: string): void {
  const imports = modules.map((name, index) => `import * as m${index} from '${name}';`);
  const uses = modules.map((_, index) => `m${index}`).join(', ');
  const code = `${imports.join('\n')}
import { defineJob, type InputOf, typed } from 'pawl';
export const all: readonly object[] = [${uses}];
export const hello = defineJob('hello', {
  input: typed<{ name: string }>(),
  run: ({ input }) => input.name,
});
// @ts-expect-error a wrong input does not compile
export const wrong: InputOf<typeof hello> = { name: 1 };
`;
  writeFileSync(join(target, 'main.ts'), code);
  const options = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true };
  const compilerOptions = { ...options, types: ['node'] };
  writeFileSync(
    join(target, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  );
}

const MISSING = [
  {
    part: 'the driver of PostgreSQL',
    env: { DATABASE_URL: 'postgres://pawl@127.0.0.1:1/pawl' },
    says: /needs the package "pg": npm install pg/,
  },
  {
    part: 'S3',
    env: {
      PAWL_S3_ENDPOINT: 'http://127.0.0.1:1/bucket',
      PAWL_S3_ACCESS_KEY_ID: 'me',
      PAWL_S3_SECRET_ACCESS_KEY: 'secret',
    },
    says: /need the package "s3mini": npm install s3mini/,
  },
  {
    part: 'OpenTelemetry',
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    says: /asks for traces, .*: npm install @opentelemetry\/sdk-trace/,
  },
] as const;

for (const { part, env, says } of MISSING) {
  test(`without ${part} a start that needs it says what to install`, async () => {
    const said = await smallest.pawl(['start'], { PAWL_DATA: join(folder, part), ...env });
    assert.match(said, says);
  });
}

test('without the packages for documents a job that needs one says what to install', async () => {
  const code = `
    import { openPawl } from 'pawl';
    import { convert, studioJobs } from 'pawl/studio';
    const pawl = await openPawl({ database: ':memory:', jobs: studioJobs, log: false });
    pawl.work();
    const job = await pawl.enqueue(convert, { text: '# A' });
    const { error } = await job.ended();
    console.log(error.code, error.message);
    await pawl.close();`;
  assert.match(
    await smallest.run(code),
    /^PACKAGE_MISSING the optional package "[\w@/-]+" could not be loaded: run npm install /,
  );
});
