// `npm run bench:http`: what the API costs, how far a stream lags, how many remote jobs are polled.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions, PARTS } from './http/options.ts';
import { reportOf } from './http/report.ts';
import { runHttp } from './http/run.ts';

const options = parseOptions(process.argv.slice(2));
const results = await runHttp(options, (text) => process.stderr.write(`${text}\n`));
const report = reportOf(results, options);
process.stdout.write(`${report}\n`);
const isWhole = options.stores.length > 1 && options.parts.length === PARTS.length;
if (!options.isSmoke && isWhole) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('http.md', folder), `${report}\n`);
  process.stderr.write(`written to ${fileURLToPath(new URL('http.md', folder))}\n`);
}
