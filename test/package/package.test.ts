// What is packed: complete, small, right for the compiler, and usable from a project that has
// nothing else.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { nodeFault } from 'pawl/internal/worker/node-version';
import { freshProject } from './fresh-project.ts';
import { all, environment, folder, pathsIn, pawl, smallest, whole } from './packed.ts';
import { reachable } from './reachable.ts';
import './create-tests.ts';
import './published-tests.ts';
import './typed-tests.ts';

const signal = new AbortController().signal;

const ALLOWED: readonly RegExp[] = [
  /^(?:package\.json|README\.md|LICENSE)$/,
  /^data\/(?:preset-geometries\.jsonl|NOTICE)$/,
  /^dist\/(?!dashboard\/).*\.(?:js|d\.ts)$/,
  /^dist\/store\/(?:postgres|sqlite)\/sql\/[\w-]+\.sql$/,
  /^template\/(?:(?:src|test|\.vscode)\/)?[\w.-]+$/,
  /^dist\/dashboard\/(?:index\.html|mark\.svg)$/,
  /^dist\/dashboard\/assets\/[\w.-]+\.(?:js|css)$/,
  /^dist\/dashboard\/guides\/(?:[\w-]+\/)?[\w.-]+\.(?:html|js|css|json|svg|webp)$/,
];

for (const { folder: name, manifest, tarball } of all) {
  const files = pathsIn(whole.installed(manifest.name));

  test(`${manifest.name} has what is built and nothing else`, () => {
    const others = files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)));
    assert.deepEqual(others, []);
    assert.deepEqual(
      files.filter((path) => /^dist\/.*\.test\./.test(path)),
      [],
    );
    assert.ok(['README.md', 'LICENSE', 'dist/index.js'].every((path) => files.includes(path)));
    const text = readFileSync(join(whole.installed(manifest.name), 'package.json'), 'utf8');
    assert.ok(!text.includes('pawl-source'), 'the sources of the workspace are not published');
  });

  test(`every module of ${manifest.name} comes from a source, and can be reached`, () => {
    const own = files.filter((path) => path.endsWith('.js') && !path.includes('dashboard'));
    for (const path of own) {
      const source = path.replace('dist/', `packages/${name}/src/`).replace(/js$/, 'ts');
      assert.ok(existsSync(inRepository(source)), source);
    }
    const targets = Object.entries(manifest.exports)
      .filter(([entry]) => !entry.includes('*'))
      .map(([, target]) => (typeof target === 'string' ? target : target.default));
    const entries = [...targets, ...Object.values(manifest.bin ?? {})].map((path) => path.slice(2));
    // Others of ours may name any module; threads and processes are started by theirs.
    if (Object.hasOwn(manifest.exports, './internal/*')) return;
    const reached = reachable(whole.installed(manifest.name), entries);
    assert.deepEqual(
      own.filter((path) => !reached.has(path)),
      [],
    );
  });

  test(`${manifest.name} is small`, (context) => {
    const packed = statSync(tarball).size;
    context.diagnostic(`${packed} bytes packed, ${files.length} files`);
    assert.ok(packed < 1_300_000, `${packed} bytes packed`);
  });

  test(`publint finds nothing to say of ${manifest.name}`, async () => {
    const { isGood, output } = await runTool('publint', [tarball, '--strict'], signal);
    assert.ok(isGood, output);
  });

  test(`the types of ${manifest.name} are right, says arethetypeswrong`, async () => {
    const args = [tarball, '--profile', 'esm-only', '--no-emoji'];
    const hidden = ['--exclude-entrypoints', './internal/*'];
    const { isGood, output } = await runTool('attw', [...args, ...hidden], signal);
    assert.ok(isGood, output);
  });
}

test('the library is complete: SQL, command, and no trace of the other packages', async () => {
  const files = pathsIn(smallest.installed());
  const sql = ['postgres', 'sqlite'].map((store) => `store/${store}/sql/claim.sql`);
  for (const path of ['cli/main.js', 'worker/isolate/child.js', ...sql]) {
    assert.ok(files.includes(`dist/${path}`), path);
  }
  const { dependencies = {} } = pawl.manifest;
  assert.ok(Object.keys(dependencies).length <= 6, 'each further dependency is a decision');
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
  assert.equal((await smallest.pawl(['--version'])).trim(), pawl.manifest.version);
  assert.match(
    await smallest.pawl(['migrate']),
    /SQLite in data\/pawl\.db: the schema is up to date/,
  );
  assert.match(await whole.pawl(['config']), /DATABASE_URL/);
});

test('a command whose package is missing answers with the line that installs it', async () => {
  const asked = [
    ['start', '@pawl/server'],
    ['dev', '@pawl/server'],
    ['bench', '@pawl/studio'],
    ['move', '@pawl/move'],
  ] as const;
  for (const [command, name] of asked) {
    const said = await smallest.pawl([command, '--some', 'words']);
    assert.match(said, new RegExp(`"pawl ${command}" is part of ${name}: npm install ${name}`));
  }
});

test('pawl start serves the dashboard and the guides from what is packed', async (context) => {
  const env = { ...environment, PORT: '0', PAWL_DATA: join(folder, 'served') };
  const program = join(whole.installed(), 'dist/cli/main.js');
  const platform = spawn(process.execPath, [program, 'start'], {
    cwd: whole.folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(platform, 'exit');
  context.after(() => platform.kill('SIGKILL'));
  const [line] = (await once(createInterface(platform.stdout), 'line')) as [string];
  const { url, types } = JSON.parse(line) as { url: string; types: string[] };
  assert.ok(types.includes('convert'), 'the plug-ins that are installed are used');
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.equal((await fetch(`${url}/processes`)).status, 200);
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<title>Pawl<\/title>/);
  const guide = await fetch(`${url}/guides/learn/first-job.html`);
  assert.match(await guide.text(), /<h1 id="a-first-job">A first job<\/h1>/);
  assert.match(guide.headers.get('content-security-policy') ?? '', /default-src 'self'/);
  platform.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('a fresh TypeScript project installs it, compiles, runs, and finds the command', freshProject);

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
    const said = await whole.pawl(['start'], { PAWL_DATA: join(folder, part), ...env });
    assert.match(said, says);
  });
}

test('without the packages for documents a job that needs one says what to install', async () => {
  const code = `
    import { openPawl } from 'pawl';
    import { convert, studioJobs } from '@pawl/studio';
    const pawl = await openPawl({ database: ':memory:', jobs: studioJobs, log: false });
    pawl.work();
    const job = await pawl.enqueue(convert, { text: '# A' });
    const { error } = await job.ended();
    console.log(error.code, error.message);
    await pawl.close();`;
  assert.match(
    await whole.run(code),
    /^PACKAGE_MISSING the optional package "[\w@/-]+" could not be loaded: run npm install /,
  );
});
