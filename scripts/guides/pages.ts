// Which documents can be read in the running product, and under which name.
import { globSync } from 'node:fs';
import { repositoryFolder } from '../run/repository.ts';

const PATTERNS: readonly string[] = [
  'docs/README.md',
  'docs/{guides,reference,decisions}/**/*.md',
  'deploy/README.md',
];

/** `docs/guides/learn/first-job.md` → `learn/first-job`; the page of contents has no name. */
export function nameOf(path: string): string {
  return path
    .replace(/^docs\/(?:guides\/)?/, '')
    .replace(/\.md$/, '')
    .replace(/(?:^|\/)README$/, '');
}

/** Names and paths, in the order of paths. */
export function guidePaths(): ReadonlyMap<string, string> {
  const found = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: repositoryFolder }));
  const paths = found.map((path) => path.replaceAll('\\', '/')).toSorted();
  return new Map(paths.map((path) => [nameOf(path), path]));
}
