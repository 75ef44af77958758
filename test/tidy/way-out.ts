// One guarded client sends all HTTP: a request from anywhere else would go past its guard.
import { codeOf, importsOf, lineAt, type SourceFile } from './source.ts';

/** The guarded client, the client of our own API, and the bucket that the operator named. */
const waysOut = [
  'packages/server/src/outgoing/',
  'packages/pawl/src/client/',
  'packages/pawl/src/artifact/s3.ts',
];

const modules = /^(?:undici|(?:node:)?https?|(?:node:)?http2)$/;

/** What serves sends nothing. */
const serving = /^import (?:type )?\{(?:\s*(?:type \w+|createServer),?)+\s*\}/;

const classes = /\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b/g;

/** A call of the global function; a method that has the name is its class's own. */
const calls = /(?:(?<![.\w$#]|async\s)|\bglobalThis\.)fetch\s*\((?![^()]*\)\s*[:{])/g;

export function wayOutProblems({ path, text }: SourceFile): string[] {
  const isShipped = /^packages\/[\w-]+\/src\//.test(path) && !path.endsWith('.test.ts');
  if (!isShipped || waysOut.some((way) => path.startsWith(way))) return [];
  const code = codeOf(text);
  const found = [...code.matchAll(calls), ...code.matchAll(classes)];
  const called = found.map((match) => lineAt(code, match.index));
  const imported = importsOf(text)
    .filter(({ specifier, line }) => modules.test(specifier) && !isHarmless(code, line))
    .map(({ line }) => line);
  const advice = 'sends HTTP by itself; use the client of packages/server/src/outgoing';
  return [...called, ...imported].map((line) => `${path}:${line}: ${advice}`);
}

/** Whether the import that ends on this line takes nothing that could send. */
function isHarmless(code: string, line: number): boolean {
  const before = code.split('\n').slice(0, line).join('\n');
  const statement = before.slice(before.lastIndexOf('import'));
  return statement.startsWith('import type') || serving.test(statement);
}
