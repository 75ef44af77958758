// `npm run bench:long-run`: does anything grow while jobs come, are done, and are purged again?
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from './long-run/options.ts';
import { reportOf } from './long-run/report.ts';
import { runAll } from './long-run/run.ts';

const options = parseOptions(process.argv.slice(2));
const runs = await runAll(options, (text) => process.stderr.write(`${text}\n`));
const report = reportOf(runs, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke && options.stores.length > 1) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('long-run.md', folder), `${report}\n`);
  process.stderr.write(`written to ${fileURLToPath(new URL('long-run.md', folder))}\n`);
}
