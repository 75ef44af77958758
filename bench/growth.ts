// `npm run bench:growth`: what does every verb cost with millions of finished or waiting jobs?
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from './growth/options.ts';
import { reportOf } from './growth/report.ts';
import { runGrowth } from './growth/run.ts';

const options = parseOptions(process.argv.slice(2));
const results = await runGrowth(options, (text) => process.stderr.write(`${text}\n`));
const report = reportOf(results, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke && options.stores.length > 1) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('growth.md', folder), `${report}\n`);
  process.stderr.write(`written to ${fileURLToPath(new URL('growth.md', folder))}\n`);
}
