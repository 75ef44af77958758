// `npm run bench:long-run`: does anything grow while jobs come, are done, and are purged again?
import { keepResult, say } from './harness/results.ts';
import { runFullSpeed } from './long-run/full-speed.ts';
import { chartsOf, fullSpeedReport } from './long-run/full-speed-report.ts';
import { parseOptions } from './long-run/options.ts';
import { reportOf } from './long-run/report.ts';
import { runAll } from './long-run/run.ts';

const options = parseOptions(process.argv.slice(2));

/** What is kept of a run, by the names of the files. */
async function filesOf(): Promise<Record<string, string>> {
  if (options.fullSpeedMs === null) {
    const report = reportOf(await runAll(options, say), options);
    return { 'long-run.md': `${report}\n` };
  }
  const runs = await runFullSpeed(options, options.fullSpeedMs, say);
  const charts = chartsOf(runs).map(({ file, svg }) => [file, svg]);
  return { 'full-speed.md': `${fullSpeedReport(runs, options)}\n`, ...Object.fromEntries(charts) };
}

const files = await filesOf();
process.stdout.write(Object.values(files)[0]!);
if (!options.isSmoke && options.stores.length > 1) {
  for (const [name, text] of Object.entries(files)) keepResult(name, text);
}
