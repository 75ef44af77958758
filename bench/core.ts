// `npm run bench:core`: how fast the engine and its stores are, beside the bare database.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from './core/options.ts';
import { runBenchmark } from './core/run.ts';

const options = parseOptions(process.argv.slice(2));
const report = await runBenchmark(options, (text) => process.stderr.write(`${text}\n`));
process.stdout.write(`${report}\n`);
if (!options.isSmoke && options.only === null && options.stores.length > 1) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('core.md', folder), `${report}\n`);
  process.stderr.write(`written to ${fileURLToPath(new URL('core.md', folder))}\n`);
}
