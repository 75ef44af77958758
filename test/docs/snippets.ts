// The snippets that new projects have in `.vscode`, as an editor inserts them.
import { readFileSync } from 'node:fs';
import { inRepository } from '../../scripts/run/repository.ts';

export interface Snippet {
  readonly prefix: string;
  readonly description: string;
  /** With every placeholder at its first value. */
  readonly text: string;
}

const PATH = 'packages/create-pawl/template/.vscode/pawl.code-snippets';

interface Stored {
  readonly prefix: string;
  readonly description: string;
  readonly body: readonly string[];
}

function inserted(body: readonly string[]): string {
  return body
    .join('\n')
    .replaceAll(/(?<!\\)\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll(/(?<!\\)\$\{\d+\|([^,|]*)[^}]*\}/g, '$1')
    .replaceAll(/(?<!\\)\$0/g, '')
    .replaceAll('\\$', '$');
}

/** A snippet without imports is for the inside of a handler. */
function compilable(text: string): string {
  if (text.includes('import ')) return text;
  const given = 'input, stage, once, signal, log, receive, sleep, first';
  return `import { defineJob, typed } from 'pawl';
export const job = defineJob('job', {
  input: typed<{ n: number }>(),
  async run({ ${given} }) {
    void [${given}, typed];
${text}
  },
});
`;
}

export function snippets(): Snippet[] {
  const stored = JSON.parse(readFileSync(inRepository(PATH), 'utf8')) as Record<string, Stored>;
  return Object.values(stored).map(({ prefix, description, body }) => ({
    prefix,
    description,
    text: compilable(inserted(body)),
  }));
}
