// Where things are in the repository, and how to name them to people.
import { globSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryFolder: string = fileURLToPath(new URL('../..', import.meta.url));

/** Folders with TypeScript that is formatted, linted, checked and tested. */
export const codeFolders: readonly string[] = ['packages', 'test', 'scripts', 'bench', 'examples'];

/** Other people's files, which a package of its own, such as bench/, has inside. */
export const foreignFolders: readonly string[] = [
  '**/node_modules',
  '**/dist',
  'packages/dashboard/src',
];

export function inRepository(...parts: string[]): string {
  return join(repositoryFolder, ...parts);
}

/** The path as people write it: from the root of the repository, with forward slashes. */
export function shortPath(path: string): string {
  return relative(repositoryFolder, path).split(sep).join('/');
}

export function findTestFiles(): string[] {
  const patterns = codeFolders.map((folder) => `${folder}/**/*.test.ts`);
  return globSync(patterns, { cwd: repositoryFolder, exclude: foreignFolders })
    .map((path) => inRepository(path))
    .sort();
}
