// `npm run pack [folder]`: builds, and puts a tarball of every package into a folder (by default
// `.cache/packed`). What is packed has no trace of the workspace: its sources and their condition
// stay here.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { publicPackages } from './run/public-packages.ts';
import { inRepository } from './run/repository.ts';

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The exports without the sources. */
function published(exports: Exports): Exports {
  return Object.fromEntries(
    Object.entries(exports).map(([entry, target]) => {
      if (typeof target === 'string') return [entry, target];
      const { 'pawl-source': _source, ...rest } = target;
      return [entry, rest];
    }),
  );
}

/** What is packed of a package, in a folder without traces of the workspace. */
function stage(folder: string): string {
  const staged = inRepository('.cache/staged', folder);
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const manifest = JSON.parse(
    readFileSync(inRepository('packages', folder, 'package.json'), 'utf8'),
  ) as { exports: Exports; devDependencies?: unknown };
  const { devDependencies: _development, ...rest } = manifest;
  const stripped = { ...rest, exports: published(manifest.exports) };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(stripped, null, 2)}\n`);
  cpSync(inRepository('LICENSE'), join(staged, 'LICENSE'));
  // What a package has beside its code is in a folder of its own, where it has any.
  for (const part of ['dist', 'README.md', 'data', 'template']) {
    const from = inRepository('packages', folder, part);
    if (existsSync(from)) cpSync(from, join(staged, part), { recursive: true });
  }
  return staged;
}

await import('./build.ts');
if (process.exitCode !== undefined && process.exitCode !== 0) process.exit();
const target = resolve(process.argv[2] ?? inRepository('.cache/packed'));
mkdirSync(target, { recursive: true });
// All by one npm: its start takes longer than packing.
const folders = publicPackages.map(stage);
const npm = spawnSync(
  'npm',
  ['pack', ...folders, '--pack-destination', target, '--loglevel=error'],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  },
);
if (npm.status !== 0) process.exitCode = 1;
