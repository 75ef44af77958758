// Which documents are pages of the site, and under which names. No page lies deeper than one
// folder, so that two routes of the server reach them all.
import { globSync } from 'node:fs';
import { basename, extname, posix } from 'node:path';
import { repositoryFolder } from '../run/repository.ts';

const PATTERNS: readonly string[] = [
  '{README,ARCHITECTURE,CONTRIBUTING,CHANGELOG,SECURITY}.md',
  'docs/**/*.md',
  '{deploy,examples,clients}/README.md',
  'examples/*/README.md',
  'clients/*/README.md',
  'bench/RESULTS.md',
  'bench/results/*.md',
];

/** Pages whose place in the repository says less than their place on the site. */
const NAMES: Readonly<Record<string, string>> = {
  'README.md': 'index',
  'docs/README.md': 'contents',
  'docs/decisions/README.md': 'decisions/index',
  'deploy/README.md': 'operate/deployment',
  'examples/README.md': 'examples/index',
  'clients/README.md': 'clients/index',
  'bench/RESULTS.md': 'figures/index',
};

/** `docs/guides/learn/first-job.md` → `learn/first-job`. */
export function nameOf(path: string): string {
  const known = NAMES[path];
  if (known !== undefined) return known;
  if (!path.includes('/')) return `design/${basename(path, '.md').toLowerCase()}`;
  return path
    .replace(/^docs\/(?=[^/]+$)/, 'design/')
    .replace(/^docs\/(?:guides\/)?/, '')
    .replace(/^bench\/results\//, 'figures/')
    .replace(/(?:\/README)?\.md$/, '');
}

/** Paths of documents by the names of their pages, in the order of paths. */
export function sitePages(): ReadonlyMap<string, string> {
  const found = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: repositoryFolder }));
  const paths = found.map((path) => path.replaceAll('\\', '/')).toSorted();
  return new Map(paths.map((path) => [nameOf(path), path]));
}

/** Files that a page may show or offer, beside other pages. */
export function isAttached(path: string): boolean {
  return ['.svg', '.webp', '.png', '.json'].includes(extname(path)) && path.startsWith('docs/');
}

export function attachedName(path: string): string {
  return `files/${posix.basename(path)}`;
}

/** The way from a page to the root of the site. */
export function rootOf(name: string): string {
  return name.includes('/') ? '../' : './';
}
