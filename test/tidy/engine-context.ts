// The engine's context is for the engine: who could reach it would depend on all of it.
import { codeOf, lineAt, type SourceFile } from './source.ts';

/** The engine itself, and where its parts are put together. */
const homes = [
  'packages/pawl/src/engine/',
  'packages/server/src/app/measuring.ts',
  'packages/server/src/app/platform.ts',
  'packages/pawl/src/pawl/parts.ts',
  'packages/pawl/src/pawl/pawl.ts',
  'packages/pawl/src/testing/seeded-engine.ts',
  'packages/pawl/src/testing/world.ts',
];

const names = /\b(?:EngineContext|openContext)\b|\b(?:engine|parts)\s*\.\s*context\b/g;

/** Tests put engines together too. */
export function engineContextProblems({ path, text }: SourceFile): string[] {
  const isShipped = /^packages\/[\w-]+\/src\//.test(path) && !path.endsWith('.test.ts');
  if (!isShipped || homes.some((home) => path.startsWith(home))) return [];
  const code = codeOf(text);
  const advice = 'give the part what it needs of it as an interface of its own';
  return [...code.matchAll(names)].map(
    (match) => `${path}:${lineAt(code, match.index)}: takes the engine's context; ${advice}`,
  );
}
