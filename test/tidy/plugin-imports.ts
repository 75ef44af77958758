// Plug-ins are written against the public entries of `pawl`, as a user's own would be.
import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source.ts';

const plugins = /^packages\/(?:(?:ogc|studio|move)\/src|server\/src\/webhooks)(?=\/)/;

/** What only the tests of a plug-in may use. */
const inner = /^@pawl\/|^pawl\/internal(?:\/|$)/;

/** Tests beside the sources put a whole platform together. */
export function pluginImportProblems({ path, text }: SourceFile): string[] {
  const [home] = plugins.exec(path) ?? [];
  if (home === undefined || path.endsWith('.test.ts')) return [];
  return importsOf(text).flatMap(({ specifier, line }) => {
    if (!isForeign(specifier, { path, home })) return [];
    const advice = 'import from an entry of pawl, such as pawl/plugin';
    return [`${path}:${line}: a plug-in imports ${specifier}; ${advice}`];
  });
}

function isForeign(specifier: string, { path, home }: { path: string; home: string }): boolean {
  if (!specifier.startsWith('.')) return inner.test(specifier);
  return !posix.join(posix.dirname(path), specifier).startsWith(`${home}/`);
}
