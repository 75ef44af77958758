// `npm run bench:control`: what limits cost, and whether a full key slows down anybody else.
import { parseOptions } from './control/options.ts';
import { reportOf } from './control/report.ts';
import { runAll } from './control/run.ts';
import { keepResult, say } from './harness/results.ts';

const options = parseOptions(process.argv.slice(2));
const results = await runAll(options, say);
const report = reportOf(results, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke && options.stores.length > 1) keepResult('control.md', `${report}\n`);
