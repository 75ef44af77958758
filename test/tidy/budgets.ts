// How large a file, a line and a function may be, and names that say nothing.
import { spawnSync } from 'node:child_process';
import { posix } from 'node:path';
import { inRepository, repositoryFolder, shortPath } from '../../scripts/run/repository.ts';
import { codeOf, type SourceFile } from './source.ts';

export const linesMax = 300;
export const columnsMax = 100;

const emptyNames = new Set(['types', 'utils', 'lib', 'helpers', 'common', 'misc']);

/** A test's title is a sentence of the specification, and stands on one line however long. */
function isTitle(path: string, line: string): boolean {
  return path.endsWith('.test.ts') && /^\s*(test|describe)\(['`]/.test(line);
}

export function sizeProblems({ path, text }: SourceFile): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const wide = lines.flatMap((line, index) =>
    line.length > columnsMax && !isTitle(path, line)
      ? [`${path}:${index + 1}: ${line.length} columns`]
      : [],
  );
  return lines.length > linesMax ? [`${path}: ${lines.length} lines`, ...wide] : wide;
}

export function nameProblems({ path }: SourceFile): string[] {
  const name = posix.basename(path).replace(/(\.test)?\.\w+$/, '');
  return emptyNames.has(name) ? [`${path}: "${name}" says nothing; name what is inside`] : [];
}

interface Diagnostic {
  message: string;
  filename: string;
  labels: { span: { offset: number; line: number } }[];
}

/** Function lengths, measured by the linter's parser (limit: function-budget.json). */
export function functionProblems(paths: string[], read: (path: string) => string): string[] {
  const config = inRepository('test/tidy/function-budget.json');
  const args = ['--config', config, '--format', 'json', '--no-ignore', ...paths];
  const oxlint = inRepository('node_modules/.bin/oxlint');
  const { stdout, error } = spawnSync(oxlint, args, { cwd: repositoryFolder, encoding: 'utf8' });
  if (error) throw error;
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return diagnostics.flatMap(({ message, filename, labels }) => {
    const span = labels[0]?.span;
    const path = posix.isAbsolute(filename) ? filename : inRepository(filename);
    if (span && isGroupOfTests(read(path), span.offset)) return [];
    return [`${shortPath(path)}:${span?.line}: ${message}`];
  });
}

// The callback of `describe` is a list of tests, not a function anyone reads as one.
function isGroupOfTests(text: string, byteOffset: number): boolean {
  const before = codeOf(Buffer.from(text).subarray(0, byteOffset).toString());
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === ')') depth++;
    else if (before[at] === '(' && depth-- === 0) {
      return /\b(?:describe|suite)(?:\.\w+)?\s*$/.test(before.slice(0, at));
    }
  }
  return false;
}
