import { pathToFileURL } from 'node:url';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';

/** Names the module to measure, for the processes of the benchmark. */
export const ENTRY = 'PAWL_BENCH_ENTRY';

/**
 * Pawl as it is installed: plain JavaScript. From its source each process would also carry the
 * compiler that takes the types away, which no user does.
 */
export async function buildPawl(): Promise<void> {
  const target = inRepository('dist');
  const args = ['--project', 'tsconfig.build.json', '--outDir', target];
  const { isGood, output } = await runTool('tsc', args, new AbortController().signal);
  if (!isGood) throw new Error(`Pawl could not be built:\n${output}`);
  process.env[ENTRY] = pathToFileURL(inRepository('dist/index.js')).href;
}
