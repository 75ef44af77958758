// Time, chance and the network come in through parameters: that is what makes runs repeatable.
import { codeOf, importsOf, lineAt, type SourceFile } from './source.ts';

const repeatableFolders = [
  'packages/pawl/src/core/',
  'packages/pawl/src/lifecycles/',
  'packages/pawl/src/engine/',
  'packages/pawl/src/check/',
];

/** The adapters through which real time and real chance enter; keep this list short. */
const ambientAdapters: ReadonlySet<string> = new Set([
  'packages/pawl/src/core/clock.ts',
  'packages/pawl/src/core/ids.ts',
  'packages/pawl/src/core/random.ts',
  'packages/pawl/src/core/timers.ts',
]);

/** The only files of the tests that may let real time pass, or whose subject are timers. */
const waitingHelpers: ReadonlySet<string> = new Set([
  'test/support/eventually.ts',
  'test/proof/kills/kill.ts',
  'test/fixtures/handlers/floating.ts',
  'test/spec/uncaught-process.ts',
]);

interface Ban {
  what: string;
  pattern: RegExp;
}

// `clock.setTimeout` is somebody's parameter and fine; the bare name and globalThis are not.
function globalName(name: string, after = '\\b'): RegExp {
  return new RegExp(`(?:(?<![.\\w$#])|\\bglobalThis\\.)${name}${after}`, 'g');
}

const timers: Ban[] = ['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
  what: name,
  pattern: globalName(name),
}));

const ambientBans: Ban[] = [
  ...timers,
  { what: 'Date.now', pattern: /\bDate\s*\.\s*now\b/g },
  { what: 'new Date without an argument', pattern: /\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g },
  { what: 'Date called as a function', pattern: /(?<!new\s+)(?<![.\w$#])Date\s*\(/g },
  { what: 'Math.random', pattern: /\bMath\s*\.\s*random\b/g },
  { what: 'performance', pattern: globalName('performance', '\\s*[.[]') },
  { what: 'process.hrtime', pattern: /\bprocess\s*\.\s*hrtime\b/g },
  { what: 'fetch', pattern: globalName('fetch', '\\s*\\(') },
  {
    what: 'randomness of node:crypto',
    pattern: /\b(?:randomUUID\w*|randomBytes|randomInt|randomFill\w*|getRandomValues)\b/g,
  },
];

const ambientModules = /^(?:node:)?(?:timers(?:\/promises)?|perf_hooks)$/;

export function ambientProblems({ path, text }: SourceFile): string[] {
  const isRepeatable = repeatableFolders.some((folder) => path.startsWith(folder));
  if (!isRepeatable || path.endsWith('.test.ts') || ambientAdapters.has(path)) return [];
  return usesOf(ambientBans, { path, text }, 'take it as a parameter');
}

export function sleepProblems({ path, text }: SourceFile): string[] {
  const isTest = /^(?:packages\/\w+\/)?test\//.test(path) || path.endsWith('.test.ts');
  if (!isTest || waitingHelpers.has(path)) return [];
  return usesOf(timers, { path, text }, 'wait for a signal or move a test clock');
}

function usesOf(bans: readonly Ban[], { path, text }: SourceFile, advice: string): string[] {
  const code = codeOf(text);
  const uses = bans.flatMap(({ what, pattern }) =>
    [...code.matchAll(pattern)].map((match) => ({ what, line: lineAt(code, match.index) })),
  );
  const modules = importsOf(text)
    .filter(({ specifier }) => ambientModules.test(specifier))
    .map(({ specifier, line }) => ({ what: specifier, line }));
  return [...uses, ...modules].map(({ what, line }) => `${path}:${line}: ${what}; ${advice}`);
}
