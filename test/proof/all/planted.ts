// `planted.ts … --report file`: a rung on a store with a mistake in it, which it finds.
import { writeFileSync } from 'node:fs';
import { findBug } from '../../simulation/find-bug.ts';
import { PLANTED_BUGS } from '../../simulation/planted-bugs.ts';
import { RungOptions, type RungReport } from '../figures.ts';

const found = await findBug(PLANTED_BUGS['now and then an event is forgotten']!);
const report: RungReport = {
  figures: {},
  violations: found === null ? [] : [`seed ${found.seed}: ${found.told}`],
  counts: { seeds: found?.seed ?? 0 },
};
writeFileSync(new RungOptions(process.argv.slice(2)).text('report')!, JSON.stringify(report));
