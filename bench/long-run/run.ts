import { systemTimers } from 'pawl/internal/core/timers';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { Load } from './load.ts';
import type { LongRunOptions } from './options.ts';
import { openPostgresSite } from './postgres-site.ts';
import { RETENTION, shortDays } from './short-days.ts';
import type { Site } from './site.ts';
import { openSqliteSite } from './sqlite-site.ts';
import { type Chapter, type Line, Watch } from './watch.ts';

/** Shares of the jobs of the paced part, one after the other. */
const CHAPTERS: readonly (readonly [Chapter, number])[] = [
  ['filling', 0.15],
  ['steady', 0.45],
  ['held open', 0.15],
  ['let go', 0.25],
];

/** Full lives a second, flat out, with the purge and without it, in turns. */
export interface Price {
  readonly kept: readonly number[];
  readonly purged: readonly number[];
}

export interface LongRun {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly lines: readonly Line[];
  readonly price: Price;
  readonly summary: readonly string[];
  readonly jobs: number;
}

/** One store after the other, so that each has the machine. */
export async function runAll(
  options: LongRunOptions,
  say: (text: string) => void,
): Promise<LongRun[]> {
  const runs: LongRun[] = [];
  for (const store of options.stores) {
    const clock = shortDays(options.dayMs);
    const site = await (store === 'postgres' ? openPostgresSite(clock) : openSqliteSite(clock));
    try {
      const load = await Load.open(site.store, clock);
      runs.push(await runOne(site, load, { options, say }));
    } finally {
      await site.close();
    }
  }
  return runs;
}

async function runOne(
  site: Site,
  load: Load,
  { options, say }: { options: LongRunOptions; say: (text: string) => void },
): Promise<LongRun> {
  const openSweeper = (): Sweeper =>
    new Sweeper(load.context, { timers: systemTimers, retention: RETENTION });
  const sweeper = openSweeper();
  sweeper.start();
  const watch = new Watch(site, load, options.dayMs);
  for (const [chapter, share] of CHAPTERS) {
    say(`${site.name}: ${chapter}`);
    const letGo = chapter === 'held open' ? await site.hold() : async (): Promise<void> => {};
    const work = load.runAtPace(Math.round(options.jobs * share), options.perSecond);
    await watch.during(chapter, work);
    await letGo();
  }
  await sweeper.stop();
  say(`${site.name}: the price of the purge`);
  const price = await priceOf(load, openSweeper, options);
  if (load.warnings.length > 0) throw new Error(`a sweep failed: ${load.warnings[0]}`);
  const { name, conditions } = site;
  const summary = await site.summary();
  return { name, conditions, lines: watch.lines, price, summary, jobs: load.ended };
}

async function priceOf(
  load: Load,
  openSweeper: () => Sweeper,
  { dayMs, priceMs, priceTurns }: LongRunOptions,
): Promise<Price> {
  const kept: number[] = [];
  const purged: number[] = [];
  for (let turn = 0; turn < priceTurns; turn++) {
    kept.push(await load.runFlatOut(priceMs));
    const sweeper = openSweeper();
    sweeper.start();
    // By then as many jobs become old as come in, and what the turn before has left is gone.
    await load.runFlatOut(dayMs);
    purged.push(await load.runFlatOut(priceMs));
    await sweeper.stop();
  }
  return { kept, purged };
}
