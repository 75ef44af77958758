// What comes with the package: its licences, its scripts, its hashes, and why it is there at all.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { publicPackages } from '../../scripts/run/public-packages.ts';
import { inRepository } from '../../scripts/run/repository.ts';

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly allowScripts: Record<string, boolean>;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(inRepository(path), 'utf8'));
}

const manifest = readJson('package.json') as Manifest;

/** What users install with any of our packages; those are no dependencies of each other here. */
const packages = publicPackages.map(
  (name) => readJson(`packages/${name}/package.json`) as Manifest,
);

function allOf(member: 'dependencies' | 'optionalDependencies' | 'peerDependencies') {
  const all = Object.assign({}, ...packages.map((one) => one[member] ?? {})) as Record<
    string,
    string
  >;
  const theirs = Object.entries(all).filter(([name]) => !/^(?:pawl$|@pawl\/)/.test(name));
  return Object.fromEntries(theirs);
}
const lock = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };

const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]);

/** Looked at one by one. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  // Bitstream Vera and Arev, with the changes in the public domain: may be embedded and passed on.
  'dejavu-fonts-ttf': 'SEE LICENSE IN README.md AND LICENSE',
  // Used under MIT.
  jszip: '(MIT OR GPL-3.0-or-later)',
  // The part of zlib that was carried over asks for its name to be kept.
  pako: '(MIT AND Zlib)',
  // MIT by its LICENSE file; its manifest says nothing.
  'png-js': '',
};

type Locked = readonly [name: string, locked: LockedPackage];

const installed: Locked[] = Object.entries(lock.packages).flatMap(([path, locked]): Locked[] => {
  const at = path.lastIndexOf('node_modules/');
  return at === -1 || locked.link === true
    ? []
    : [[path.slice(at + 'node_modules/'.length), locked]];
});

const shipped = installed.filter(([, { dev }]) => dev !== true);

/** True where the licence is one of the list, or the very one that was looked at. */
function isAllowed(name: string, license: string): boolean {
  return ALLOWED.has(license) || EXCEPTIONS[name] === license;
}

test('[S20] every package that users install has a licence of the list', () => {
  const others = shipped.filter(([name, { license = '' }]) => !isAllowed(name, license));
  assert.deepEqual(
    others.map(([name, { license = 'none' }]) => `${name}: ${license}`),
    [],
  );
  assert.ok(shipped.length > 50, String(shipped.length));
  assert.ok(!isAllowed('anything', 'GPL-3.0-only') && !isAllowed('anything', ''));
});

test('[S20] no exception outlives the package that it was made for', () => {
  const names = new Set(shipped.map(([name]) => name));
  for (const name of Object.keys(EXCEPTIONS)) assert.ok(names.has(name), name);
});

test('[S20] what is bundled into the dashboard has a licence of the list, too', () => {
  const page = readJson('packages/dashboard/package.json') as Manifest;
  const licences = new Map(installed);
  for (const name of Object.keys({ ...page.dependencies, ...page.devDependencies })) {
    const { license = '' } = licences.get(name) ?? {};
    assert.ok(isAllowed(name, license), `${name}: ${license}`);
  }
});

test('[S20] nothing runs at installation but what is allowed by name, and nothing of users’', () => {
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  for (const [name, { dev, devOptional }] of scripted) {
    const isDecided = typeof manifest.allowScripts[name] === 'boolean';
    assert.ok(isDecided, `${name} has an install script: allow or refuse it by name`);
    // What is optional as well comes to those who ask for it by its name.
    assert.equal(dev ?? devOptional, true, `${name} would run a script on the machines of users`);
  }
});

test('[S20] every package is bound to its bytes by a hash', () => {
  const loose = installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
  assert.deepEqual(
    loose.map(([name]) => name),
    [],
  );
});

test('[S20] every version is exact', () => {
  const own = { ...allOf('dependencies'), ...allOf('optionalDependencies') };
  const all = Object.entries({ ...own, ...manifest.devDependencies });
  for (const [name, version] of all) assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name);
});

test('[S20] every dependency of users has its reason in a decision', () => {
  const decisions = globSync('docs/decisions/*.md', { cwd: inRepository('.') })
    .map((path) => readFileSync(inRepository(path), 'utf8'))
    .join('\n');
  const all = Object.keys({
    ...allOf('dependencies'),
    ...allOf('optionalDependencies'),
    ...allOf('peerDependencies'),
  });
  const silent = all.filter((name) => !decisions.includes(`\`${name}\``));
  assert.deepEqual(silent, []);
  assert.ok(Object.keys(allOf('dependencies')).length <= 12, 'few enough to know each of them');
});
