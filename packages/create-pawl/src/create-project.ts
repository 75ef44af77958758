import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestOf } from './manifest.ts';

/** Where a project stores its jobs. */
export type Store = 'sqlite' | 'postgres';

/** Options of a new project. */
export interface ProjectOptions {
  readonly store: Store;
  /** With the HTTP API and the dashboard; otherwise a program that uses the library. */
  readonly dashboard: boolean;
}

const TEMPLATE = fileURLToPath(new URL('../template', import.meta.url));

/** What may lie in a folder that counts as empty: `git init` often comes first. */
const IGNORED = new Set(['.git', '.DS_Store']);

/** npm leaves files of these names out of packages, or reads them itself. */
const RENAMED: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
};

/** Refuses what would be overwritten. */
function checkEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) {
    throw new Error(`${folder} is a file. Choose another name for the new folder.`);
  }
  const found = readdirSync(folder).filter((name) => !IGNORED.has(name));
  if (found.length === 0) return;
  const some = found.slice(0, 3).join(', ');
  const rest = found.length > 3 ? ` and ${found.length - 3} more` : '';
  throw new Error(
    `${folder} is not empty: it contains ${some}${rest}. Nothing was written. Choose a new folder.`,
  );
}

/** Files of one kind of project. */
const ONLY: Readonly<Record<string, 'server' | 'library'>> = {
  'pawl.config.ts': 'server',
  'src/main.ts': 'library',
};

/** The database where none is configured. */
function databaseOf({ store, dashboard }: ProjectOptions): string {
  if (store === 'postgres') return 'postgres://pawl:pawl@127.0.0.1:5432/pawl';
  return dashboard ? 'data' : 'data/jobs.db';
}

/**
 * The text of a file without the parts of other variants. Such a part begins with a comment `if`
 * and a word, and ends with a comment `end`: `# if postgres`, `<!-- if server -->`.
 */
function variantOf(text: string, words: ReadonlySet<string>): string {
  const part = /^[ \t]*(?:#|<!--) if (\w+)(?: -->)?\n([\s\S]*?)^[ \t]*(?:#|<!--) end(?: -->)?\n/gm;
  return text.replaceAll(part, (_all, word: string, kept: string) => (words.has(word) ? kept : ''));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted();
}

/**
 * Writes a new project into a folder that is new or empty, and returns the paths of its files.
 * Needs no network.
 * @throws Error for a folder that is not empty; nothing is written then.
 */
export function createProject(folder: string, options: ProjectOptions): readonly string[] {
  const target = resolve(folder);
  checkEmpty(target);
  const name = basename(target);
  const kind = options.dashboard ? 'server' : 'library';
  const words = new Set<string>([options.store, kind]);
  const written: string[] = [];
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text, { flag: 'wx' });
    written.push(path);
  };
  write('package.json', `${JSON.stringify(manifestOf(name, options), null, 2)}\n`);
  for (const path of filesIn(TEMPLATE)) {
    if ((ONLY[path] ?? kind) !== kind) continue;
    const text = variantOf(readFileSync(join(TEMPLATE, path), 'utf8'), words)
      .replaceAll('<database>', databaseOf(options))
      .replaceAll('<name>', name);
    write(RENAMED[path] ?? path, text);
  }
  return written;
}
