import { pathToFileURL } from 'node:url';
import { buildLibrary } from '../../scripts/run/build-library.ts';
import { inRepository } from '../../scripts/run/repository.ts';

/** Names the module to measure, for the processes of the benchmark. */
export const ENTRY = 'PAWL_BENCH_ENTRY';

/**
 * Pawl as it is installed: plain JavaScript. From its source each process would also carry the
 * compiler that takes the types away, which no user does.
 */
export async function buildPawl(): Promise<void> {
  const { isGood, output } = await buildLibrary(inRepository('dist'));
  if (!isGood) throw new Error(`Pawl could not be built:\n${output}`);
  process.env[ENTRY] = pathToFileURL(inRepository('dist/index.js')).href;
}
