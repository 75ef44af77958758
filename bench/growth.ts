// `npm run bench:growth`: what does every verb cost with millions of finished or waiting jobs?
import { parseOptions } from './growth/options.ts';
import { reportOf } from './growth/report.ts';
import { runGrowth } from './growth/run.ts';
import { keepResult, say } from './harness/results.ts';

const options = parseOptions(process.argv.slice(2));
const results = await runGrowth(options, say);
const report = reportOf(results, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke && options.stores.length > 1) keepResult('growth.md', `${report}\n`);
