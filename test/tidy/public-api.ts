// What users read and copy names nothing but the public API, and needs no tricks.
import { blocksIn } from '../docs/blocks.ts';
import { sourcePaths } from '../../scripts/run/own-sources.ts';
import { codeOf, importsOf, lineAt, type SourceFile } from './source.ts';

const READ_BY_USERS =
  /^(?:README\.md|docs\/README\.md|docs\/guides\/.*\.md|examples\/.*\.(?:ts|md))$/;

const ENDS = "'(?:succeeded|failed|cancelled|dead)'";

/** In code without its texts and comments. */
const INNER: readonly (readonly [RegExp, string])[] = [
  [/\bengine\b/g, 'the engine is not public: use the verbs of Pawl'],
  [/\bSHARED_TENANT\b/g, 'types are made known by `jobs` of openPawl'],
  [
    /\bJSON\.parse\([^\n]*\b(?:result|input|checkpoint|metadata)\b/g,
    'results and inputs are values already',
  ],
];

/** The routes of a plug-in are told who asks; everybody else says it. */
const CALLER: typeof INNER = [
  [/\bcaller\b/g, 'a caller is named by `tenant` of openPawl or of a call'],
];

/** In the text as it stands. */
const LISTS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\[\\s*${ENDS},\\s*${ENDS}`, 'g'), '`completedAt` says whether a job has ended'],
  [new RegExp(`${ENDS}\\s*\\|\\|.*?${ENDS}`, 'g'), '`completedAt` says whether a job has ended'],
];

const entries: ReadonlySet<string> = new Set(sourcePaths.values());

function isPublic(specifier: string): boolean {
  if (/^(?:pawl|@pawl\/\w+)(?:\/|$)/.test(specifier)) return sourcePaths.has(specifier);
  const [, inside] = /^(?:\.\.\/)+(packages\/.*)$/.exec(specifier) ?? [];
  return inside === undefined || entries.has(inside);
}

export function publicApiProblems({ path, text }: SourceFile): string[] {
  if (!READ_BY_USERS.test(path)) return [];
  if (!path.endsWith('.md')) return problemsIn(text, (line) => `${path}:${line}`);
  const own = blocksIn(path, text).filter(
    ({ language, marks }) => language === 'ts' && !marks.includes('theirs'),
  );
  return own.flatMap(({ line: start, text: code }) =>
    problemsIn(code, (line) => `${path}:${start + line}`),
  );
}

function problemsIn(text: string, at: (line: number) => string): string[] {
  const found = (where: string, rules: typeof INNER): string[] =>
    rules.flatMap(([pattern, remedy]) =>
      [...where.matchAll(pattern)].map(
        (match) => `${at(lineAt(where, match.index))}: ${match[0]}: ${remedy}`,
      ),
    );
  const imports = importsOf(text)
    .filter(({ specifier }) => !isPublic(specifier))
    .map(({ specifier, line }) => `${at(line)}: ${specifier} is not an entry point of the package`);
  const isPlugin = importsOf(text).some(({ specifier }) => specifier === 'pawl/plugin');
  const inner = isPlugin ? INNER : [...INNER, ...CALLER];
  return [...found(codeOf(text), inner), ...found(text, LISTS), ...imports];
}
