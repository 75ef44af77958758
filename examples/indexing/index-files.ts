// The pipeline: list → index, batch by batch → publish. An attempt that breaks off in the middle is
// followed by one that goes on after the last finished batch.
import { existsSync, globSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { defineJob, fail, fromTypebox, type JobDefinition, ValidationError } from 'pawl';
import { SearchFile } from './search-file.ts';

export interface IndexInput {
  readonly folder: string;
  readonly target: string;
}

/** What a person would read of a file. */
export function textOf(path: string, content: string): string {
  if (path.endsWith('.html')) {
    const body = content.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ');
    return body.replaceAll(/<[^>]*>/g, ' ');
  }
  // Links by their words, not by where they lead.
  return path.endsWith('.md') ? content.replaceAll(/\]\([^)]*\)/g, ']') : content;
}

const BATCH = 8;

type Read = (path: string) => Promise<string>;

/** How files are read is handed in, so that tests can have one that fails. */
export function indexFiles(
  read: Read = (path) => readFile(path, 'utf8'),
): JobDefinition<IndexInput, { files: number }> {
  return defineJob('index-files', {
    input: fromTypebox(Type.Object({ folder: Type.String(), target: Type.String() })),
    maxAttempts: 5,
    backoff: '1s',
    retryable: ['dependency_unavailable'],
    stages: [
      { name: 'list', min: 0, max: 5 },
      { name: 'index', min: 5, max: 95 },
      { name: 'publish', min: 95, max: 100 },
    ],
    async run({ input, job, stage, signal }) {
      // The list is kept with the job: files that come later belong to the next one.
      const files = await stage('list', () => {
        if (!existsSync(input.folder)) throw new ValidationError(`there is no ${input.folder}`);
        return globSync('**/*.{md,html,txt}', { cwd: input.folder }).toSorted();
      });
      // Beside the file that others search in, and under the job's own name.
      const draft = `${input.target}.${job.id}`;
      await stage('index', { from: 0 }, async ({ from, checkpoint, progress }) => {
        const index = new SearchFile(draft);
        try {
          for (let next = from; next < files.length; next += BATCH) {
            signal.throwIfAborted();
            const batch = files.slice(next, next + BATCH);
            const pages = batch.map(async (path) => {
              const content = await read(join(input.folder, path)).catch((cause: Error) => {
                throw fail('dependency_unavailable', `cannot read ${path}`, { cause });
              });
              return { path, text: textOf(path, content) };
            });
            index.put(await Promise.all(pages));
            const done = Math.min(next + BATCH, files.length);
            await checkpoint(done);
            progress(done / files.length, `${done} of ${files.length} files`);
          }
        } finally {
          index.close();
        }
      });
      return stage('publish', async () => {
        await rename(draft, input.target);
        return { files: files.length };
      });
    },
  });
}
