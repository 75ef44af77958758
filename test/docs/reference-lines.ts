// The lines of code in the TypeScript reference, as one program.
import { EXAMPLES, PRELUDE } from '../../scripts/reference/examples.ts';
import { entries } from '../../scripts/reference/typescript.ts';

/** Imports what the lines name, each from the first entry that exports it, as value or type. */
async function imports(): Promise<string[]> {
  const text = [PRELUDE, ...Object.values(EXAMPLES)].join('\n');
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const { name: entry, declarations } of entries()) {
    const values = (await import(entry)) as object;
    for (const { name } of declarations) {
      if (seen.has(name) || !new RegExp(`\\b${name}\\b`).test(text)) continue;
      seen.add(name);
      lines.push(`import { ${name in values ? '' : 'type '}${name} } from '${entry}';`);
    }
  }
  return lines;
}

export async function referenceProgram(): Promise<string> {
  const lines = Object.entries(EXAMPLES).map(
    ([name, line]) => `export const of${name} = async (): Promise<void> => {\n${line}\n};`,
  );
  return [...(await imports()), PRELUDE, ...lines].join('\n');
}
