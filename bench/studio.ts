// `npm run bench:studio`: how long convert and export take, beside the targets that are promised.
import { parseArgs } from 'node:util';
import { studioReport } from '../packages/studio/src/cli/bench-studio.ts';
import { costReport, runStudio } from './studio/run.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '50' }, slides: { type: 'string', default: '30' } },
});
const options = { runs: Number(values.runs), slides: Number(values.slides) };
const { took, costs } = await runStudio(options, (text) => process.stderr.write(`${text}\n`));
process.stdout.write(`${studioReport(took, options)}\n\n${costReport(costs)}\n`);
