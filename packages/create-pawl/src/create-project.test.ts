import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProject, type ProjectOptions } from './create-project.ts';
import { packageName, VERSIONS } from './manifest.ts';
import { nextSteps } from './next-steps.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-create-'));
after(() => rmSync(root, { recursive: true }));

const VARIANTS: readonly ProjectOptions[] = (['sqlite', 'postgres'] as const).flatMap((store) =>
  [true, false].map((dashboard) => ({ store, dashboard })),
);

/** What every project has. */
const COMMON = [
  '.dockerignore',
  '.gitignore',
  '.vscode/pawl.code-snippets',
  'Dockerfile',
  'README.md',
  'compose.yaml',
  'package.json',
  'src/jobs.ts',
  'src/schedules.ts',
  'test/jobs.test.ts',
  'tsconfig.json',
];

/** Runs the command as npm does: without a terminal, so that it asks nothing. */
function create(...args: readonly string[]) {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  return spawnSync(process.execPath, [main, ...args], { cwd: root, encoding: 'utf8' });
}

for (const options of VARIANTS) {
  const { store, dashboard } = options;
  const kind = dashboard ? 'dashboard' : 'library';

  test(`a project with ${store} and ${kind} has the files of its kind, and no part of others`, () => {
    const folder = join(root, `${store}-${kind}`);
    const files = createProject(folder, options);
    const own = dashboard ? 'pawl.config.ts' : 'src/main.ts';
    assert.deepEqual(files.toSorted(), [...COMMON, own].toSorted());
    const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
    for (const path of files)
      assert.doesNotMatch(text(path), /(?:#|<!--) (?:if|end)\b|<(?:name|database)>/, path);
    assert.equal(text('compose.yaml').includes('postgres:18'), store === 'postgres');
    assert.equal(text('compose.yaml').includes('8080'), dashboard);
    assert.equal(text(own).includes('postgres://'), store === 'postgres');
    const { dependencies } = JSON.parse(text('package.json')) as { dependencies: object };
    assert.equal('pg' in dependencies, store === 'postgres');
    assert.equal('@pawl/server' in dependencies, dashboard);
  });
}

test('a folder with files in it is refused, and nothing is written', () => {
  const folder = join(root, 'full');
  mkdirSync(folder);
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, name), '');
  const { status, stderr } = create('full');
  assert.equal(status, 1);
  assert.match(stderr, /full is not empty: it contains a, b, c and 1 more\. Nothing was written/);
  assert.deepEqual(readdirSync(folder), ['a', 'b', 'c', 'd']);
  writeFileSync(join(root, 'file'), '');
  assert.match(create('file').stderr, /file is a file\. Choose another name/);
});

test('a folder that only git has written to is empty', () => {
  mkdirSync(join(root, 'fresh/.git'), { recursive: true });
  const { status, stdout } = create('fresh', '--store', 'postgres', '--no-dashboard');
  assert.equal(status, 0);
  assert.match(stdout, /Created 12 files in fresh\. Next:\n\n {2}cd fresh\n {2}npm install\n/);
  assert.match(stdout, /docker compose up -d database/);
});

test('flags that are not known are refused with those that are', () => {
  assert.match(
    create('a', '--store', 'mysql').stderr,
    /mysql is not known: give sqlite or postgres/,
  );
  assert.match(create('a', '--colour').stderr, /Unknown option '--colour'/);
  assert.match(create('a', 'b').stderr, /one folder is created at a time, and 2 are named/);
  assert.match(create('--help').stdout, /Usage: npm create pawl/);
});

test('the name of a folder becomes a name that npm accepts', () => {
  assert.equal(packageName('My App'), 'my-app');
  assert.equal(packageName('_Ünï'), 'n');
  assert.equal(packageName('…'), 'pawl-app');
});

test('where Node is too old, the project gets one of its own', () => {
  const answers = { folder: '.', store: 'sqlite', dashboard: false } as const;
  assert.match(
    nextSteps(answers, 1, '20.1.0'),
    /npm install node@26 .*20\.1\.0 is older than 24\.16/,
  );
  assert.doesNotMatch(nextSteps(answers, 1, '24.16.0'), /node@26|cd /);
});

test('new projects get the versions that this repository is tested with', () => {
  const path = new URL('../../../package.json', import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(VERSIONS)) {
    assert.equal(version, devDependencies[name], name);
  }
});
