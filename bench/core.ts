// `npm run bench:core`: how fast the engine and its stores are, on SQLite also beside a bare loop.
import { parseOptions } from './core/options.ts';
import { runBenchmark } from './core/run.ts';
import { keepResult, say } from './harness/results.ts';

const options = parseOptions(process.argv.slice(2));
const report = await runBenchmark(options, say);
process.stdout.write(`${report}\n`);
const isWhole = options.only === null && options.stores.length > 1;
if (!options.isSmoke && isWhole) keepResult('core.md', `${report}\n`);
