// `npm run bench`: Pawl beside the queues that people would use instead.
import { writeResults } from './peers/files.ts';
import { parseOptions } from './peers/options.ts';
import { reportOf } from './peers/report.ts';
import { runPeers } from './peers/run.ts';
import { versionsOfPeers } from './peers/versions.ts';

const options = parseOptions(process.argv.slice(2));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

// What was measured until somebody stops it is kept; the second time it just ends.
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    say('stopping after this measurement; once more to stop at once');
    process.once(name, () => process.exit(130));
    stop.abort();
  });
}

const outcome = await runPeers(options, { say, signal: stop.signal });
const versions = versionsOfPeers();
if (options.isWhole && outcome.readings.length > 0) {
  writeResults(outcome, options, versions);
  say('written to bench/RESULTS.md');
} else {
  process.stdout.write(`${reportOf(outcome, options, versions)}\n`);
}
process.exit(outcome.isComplete ? 0 : 130);
