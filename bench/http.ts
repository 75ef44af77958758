// `npm run bench:http`: what the API costs, how far a stream lags, how many remote jobs are polled.
import { parseOptions, PARTS } from './http/options.ts';
import { reportOf } from './http/report.ts';
import { runHttp } from './http/run.ts';
import { keepResult, say } from './harness/results.ts';

const options = parseOptions(process.argv.slice(2));
const results = await runHttp(options, say);
const report = reportOf(results, options);
process.stdout.write(`${report}\n`);
const isWhole = options.stores.length > 1 && options.parts.length === PARTS.length;
if (!options.isSmoke && isWhole) keepResult('http.md', `${report}\n`);
