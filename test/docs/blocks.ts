// The fenced blocks of the README and the guides.
import { globSync, readFileSync } from 'node:fs';
import { inRepository, repositoryFolder } from '../../scripts/run/repository.ts';

export interface Block {
  readonly path: string;
  readonly line: number;
  /** The first word after the fence, such as `ts`. */
  readonly language: string;
  /** The words after it, such as `run`. */
  readonly marks: readonly string[];
  readonly text: string;
}

const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm;

export function blocksIn(path: string, text: string): Block[] {
  return [...text.matchAll(FENCE)].map(({ index, 1: language, 2: marks, 3: body }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    language: language!,
    marks: marks!.trim().split(/\s+/).filter(Boolean),
    text: body!,
  }));
}

/** In the order of pages, and of the text in them. */
export function allBlocks(): Block[] {
  const guides = globSync('docs/guides/**/*.md', { cwd: repositoryFolder });
  const paths = ['README.md', 'docs/README.md', 'SECURITY.md', 'deploy/README.md', ...guides];
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .flatMap((path) => blocksIn(path, readFileSync(inRepository(path), 'utf8')));
}

/** Blocks of one page are neighbours; `// jobs.ts` as a first line names one for the others. */
export function fileNameOf({ path, line, text }: Block): string {
  const named = /^\/\/ ([\w-]+\.(?:test\.)?ts)$/.exec(text.split('\n', 1)[0]!)?.[1];
  return `${path.replaceAll(/[^\w]/g, '-')}/${named ?? `line-${line}.ts`}`;
}
