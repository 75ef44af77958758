// What installing a package brings besides our own code: counted in what is installed here, by the
// manifests that would be published.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { publicPackages } from '../../scripts/run/public-packages.ts';
import { inRepository, repositoryFolder } from '../../scripts/run/repository.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What an install may bring of others: packages and megabytes; more is a decision. */
const BUDGETS: Readonly<Record<string, { readonly packages: number; readonly megabytes: number }>> =
  {
    pawl: { packages: 8, megabytes: 5 },
    '@pawl/server': { packages: 60, megabytes: 18 },
    '@pawl/ogc': { packages: 2, megabytes: 3 },
    '@pawl/studio': { packages: 50, megabytes: 90 },
    '@pawl/move': { packages: 2, megabytes: 1 },
    'create-pawl': { packages: 0, megabytes: 0 },
  };

function manifestAt(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Where Node finds a package from a folder; null for an optional one that is not installed. */
function folderOf(name: string, from: string): string | null {
  const root = dirname(join(repositoryFolder, 'package.json'));
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return null;
}

/** The folders of all that a package depends on, peers of ours excepted. */
function broughtBy(folder: string, brought: Set<string> = new Set()): ReadonlySet<string> {
  const { dependencies = {}, optionalDependencies = {} } = manifestAt(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = folderOf(name, folder);
    if (found === null || brought.has(found)) continue;
    brought.add(found);
    broughtBy(found, brought);
  }
  return brought;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? bytesIn(path) : statSync(path).size;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

test('what each package brings stays within its budget', (context) => {
  const names = publicPackages.map((folder) => manifestAt(inRepository('packages', folder)).name);
  assert.deepEqual(Object.keys(BUDGETS).toSorted(), names.toSorted());
  for (const folder of publicPackages) {
    const root = inRepository('packages', folder);
    const { name } = manifestAt(root);
    const brought = [...broughtBy(root)];
    const megabytes = brought.map(bytesIn).reduce((sum, bytes) => sum + bytes, 0) / 1e6;
    const said = `${name}: ${brought.length} packages, ${megabytes.toFixed(1)} MB`;
    context.diagnostic(said);
    const most = BUDGETS[name]!;
    assert.ok(brought.length <= most.packages && megabytes <= most.megabytes, said);
  }
});
