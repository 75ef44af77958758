import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './command.ts';
import { inRepository } from './repository.ts';

/** Plain JavaScript and declarations of `src`, with the SQL that the stores read beside them. */
export async function buildLibrary(target: string): Promise<{ isGood: boolean; output: string }> {
  const args = ['--project', 'tsconfig.build.json', '--outDir', target];
  const built = await runTool('tsc', args, new AbortController().signal);
  for (const store of ['sqlite', 'postgres']) {
    const folder = `store/${store}/sql`;
    cpSync(inRepository(`src/${folder}`), join(target, folder), { recursive: true });
  }
  return built;
}
