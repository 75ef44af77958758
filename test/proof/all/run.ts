import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { inRepository } from '../../../scripts/run/repository.ts';
import { grouped, type Rung } from '../figures.ts';
import { Campaign } from './campaign.ts';
import { GOALS, type Lane, LANES } from './lanes.ts';
import { Ledger } from './ledger.ts';
import { standingOf, writePage } from './page.ts';

/**
 * `--hours 2 --only simulate,fleet --at-once 2 --slices 3 --ledger file --page file`: runs the
 * lanes in slices (so many of each, or until the time is over), adds each to the ledger and writes
 * the totals into the page. Interrupted, it loses the slices at hand. A lane with a violation is
 * not run again in this campaign.
 */
export const runAll: Rung = async (options, say) => {
  const ledger = new Ledger(options.text('ledger') ?? inRepository('docs', 'proof-totals.json'));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const campaign = new Campaign({
    lanes: chosen(options.text('only')),
    ledger,
    minutes: options.number('hours', 1) * 60,
    atOnce: options.number('at-once', 2),
    load: () => loadavg()[0]! / availableParallelism(),
    slices: options.number('slices', Infinity),
    source: sourceHere(),
    stop: stop.signal,
    say: (line) => say(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  const { violations, skipped } = await campaign.run();
  const totals = ledger.lanes;
  writePage(options.text('page') ?? inRepository('docs', 'proof.md'), totals);
  const reached = GOALS.map((goal) => {
    const { total, seconds } = standingOf(goal, totals);
    const hours = (seconds / 3_600).toFixed(1);
    return [goal.what, `${grouped(total)} of ${grouped(goal.goal)} in ${hours} hours`] as const;
  });
  const away = [...skipped].map(([lane, reason]) => [`${lane} was skipped`, reason] as const);
  return { figures: Object.fromEntries([...reached, ...away]), violations };
};

function chosen(only: string | null): readonly Lane[] {
  if (only === null) return LANES;
  const names = only.split(',');
  const unknown = names.find((name) => LANES.every((lane) => lane.name !== name));
  if (unknown === undefined) return LANES.filter(({ name }) => names.includes(name));
  const known = LANES.map(({ name }) => name).join(', ');
  throw new Error(`there is no lane "${unknown}": choose of ${known}`);
}

/** What is tried: the tree of the packages, and a commit that has it. */
function sourceHere(): { tree: string; commit: string } {
  const ask = (...args: string[]): string =>
    execFileSync('git', args, { cwd: inRepository(), encoding: 'utf8' }).trim();
  const isChanged = ask('status', '--porcelain', '--', 'packages') !== '';
  const tree = ask('rev-parse', '--short=8', 'HEAD:packages');
  const commit = ask('rev-parse', '--short=8', 'HEAD');
  return { tree: isChanged ? `${tree}, changed` : tree, commit };
}
