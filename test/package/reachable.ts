// What a package's own modules lead to, from where its users come in.
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const IMPORT = /(?:from\s*|import\s*\(?\s*|new URL\(\s*)['"](\.{1,2}\/[^'"]+)['"]/g;

function targetsIn(file: string, path: string): string[] {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, target]) =>
    posix.normalize(posix.join(posix.dirname(path), target!.replace(/\.ts$/, '.js'))),
  );
}

/** The paths of all modules that can be loaded, or whose types are needed, from the given on. */
export function reachable(root: string, entries: readonly string[]): ReadonlySet<string> {
  const seen = new Set(entries);
  for (const path of seen) {
    if (!path.endsWith('.js')) continue;
    const types = path.replace(/\.js$/, '.d.ts');
    for (const part of [path, types]) {
      for (const target of targetsIn(`${root}/${part}`, path)) {
        if (existsSync(`${root}/${target}`)) seen.add(target);
      }
    }
  }
  return seen;
}
