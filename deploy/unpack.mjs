// `node unpack.mjs <folder of tarballs> <node_modules>`: puts our packed packages where an installation
// from the lockfile has links to the workspace, and takes away the links that are left.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [packed, modules] = process.argv.slice(2);

for (const name of ['pawl', ...readdirSync(join(modules, '@pawl')).map((own) => `@pawl/${own}`)]) {
  const link = join(modules, name);
  if (!lstatSync(link).isSymbolicLink()) throw new Error(`${link} is not a link to the workspace`);
  rmSync(link);
}

for (const tarball of globSync('*.tgz', { cwd: packed })) {
  const folder = mkdtempSync(join(tmpdir(), 'unpack-'));
  execFileSync('tar', ['-xzf', join(packed, tarball), '-C', folder]);
  const from = join(folder, 'package');
  const { name } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  cpSync(from, join(modules, name), { recursive: true });
  rmSync(folder, { recursive: true });
}
