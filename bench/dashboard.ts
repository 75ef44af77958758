// `npm run bench:dashboard`: how smooth the pages are while very much happens.
import { parseOptions } from './dashboard/options.ts';
import { reportOf } from './dashboard/report.ts';
import { runDashboard } from './dashboard/run.ts';
import { keepResult, say } from './harness/results.ts';

const options = parseOptions(process.argv.slice(2));
const sights = await runDashboard(options, say);
const report = reportOf(sights, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke) keepResult('dashboard.md', `${report}\n`);
