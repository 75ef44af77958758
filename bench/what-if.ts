// `npm run bench:what-if`: what a what-if predicts, held against second real runs.
import { parseArgs } from 'node:util';
import { ArgumentReader, askedFor } from './harness/arguments.ts';
import { keepResult } from './harness/results.ts';
import { measureWhatIf } from './what-if/measure.ts';
import { whatIfReport } from './what-if/report.ts';

const USAGE = `npm run bench:what-if -- [options]
  --seconds N   length of each of the four runs (100)
  --slots N     slots of the recorded run (4)`;

const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  options: {
    seconds: { type: 'string', default: '100' },
    slots: { type: 'string', default: '4' },
  },
});
const reader = new ArgumentReader(USAGE);
const slots = reader.wholeNumber('slots', values.slots);
const seconds = reader.wholeNumber('seconds', values.seconds);
const options = { seconds, slots, jobsPerSecond: 1.15 * slots, scale: 1 };
const asked = askedFor('bench:what-if', args);
const report = whatIfReport(await measureWhatIf(options), { ...asked, ...options });
process.stdout.write(`${report}\n`);
keepResult('what-if.md', `${report}\n`);
