// `npm run bench:dashboard`: how smooth the pages are while very much happens.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from './dashboard/options.ts';
import { reportOf } from './dashboard/report.ts';
import { runDashboard } from './dashboard/run.ts';

const options = parseOptions(process.argv.slice(2));
const sights = await runDashboard(options, (text) => process.stderr.write(`${text}\n`));
const report = reportOf(sights, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('dashboard.md', folder), `${report}\n`);
  process.stderr.write(`written to ${fileURLToPath(new URL('dashboard.md', folder))}\n`);
}
