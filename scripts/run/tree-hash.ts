// A fingerprint of everything that can change what the tests say.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { codeFolders, foreignFolders, repositoryFolder } from './repository.ts';
import { join } from 'node:path';

const configurationFiles = ['package.json', 'package-lock.json', 'tsconfig*.json', '.ox*.json'];

/** The hash of all code and configuration under the folder; documents do not count. */
export function hashTree(folder: string = repositoryFolder): string {
  const patterns = [...codeFolders.map((each) => `${each}/**/*`), ...configurationFiles];
  const hash = createHash('sha256');
  for (const path of globSync(patterns, { cwd: folder, exclude: foreignFolders }).sort()) {
    const absolute = join(folder, path);
    if (!statSync(absolute).isFile()) continue;
    const content = readFileSync(absolute);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
