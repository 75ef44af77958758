// `npm run bench:control`: what limits cost, and whether a full key slows down anybody else.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from './control/options.ts';
import { reportOf } from './control/report.ts';
import { runAll } from './control/run.ts';

const options = parseOptions(process.argv.slice(2));
const results = await runAll(options, (text) => process.stderr.write(`${text}\n`));
const report = reportOf(results, options);
process.stdout.write(`${report}\n`);
if (!options.isSmoke && options.stores.length > 1) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('control.md', folder), `${report}\n`);
  process.stderr.write(`written to ${fileURLToPath(new URL('control.md', folder))}\n`);
}
