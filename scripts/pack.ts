// `npm run pack [folder]`: builds, and puts a tarball of every package into a folder (by default
// `.cache/packed`). What is packed has no trace of the workspace: its sources and their condition
// stay here.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

function pack(folder: string, to: string): void {
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
  for (const part of ['dist', 'README.md']) {
    cpSync(inRepository('packages', folder, part), join(staged, part), { recursive: true });
  }
  const npm = spawnSync('npm', ['pack', '--pack-destination', to, '--loglevel=error'], {
    cwd: staged,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) process.exit(1);
}

await import('./build.ts');
if (process.exitCode !== undefined && process.exitCode !== 0) process.exit();
const target = resolve(process.argv[2] ?? inRepository('.cache/packed'));
mkdirSync(target, { recursive: true });
for (const folder of publicPackages) pack(folder, target);
