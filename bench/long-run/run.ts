import { setTimeout as sleep } from 'node:timers/promises';
import { systemTimers } from '../../src/core/timers.ts';
import { Sweeper } from '../../src/engine/sweeps/sweeper.ts';
import { Load } from './load.ts';
import type { LongRunOptions } from './options.ts';
import { openPostgresSite } from './postgres-site.ts';
import { DAY_MS, shortDays } from './short-days.ts';
import type { Reading, Site } from './site.ts';
import { openSqliteSite } from './sqlite-site.ts';

/** Everything is kept as briefly as a policy may say, and dead letters a day longer. */
const RETENTION = {
  jobsMs: DAY_MS,
  notesMs: DAY_MS,
  feedMs: DAY_MS,
  keysMs: 0,
  firesMs: DAY_MS,
  deadLettersMs: 2 * DAY_MS,
};

/** What happens while a line of the report is gathered. */
export type Chapter = 'filling' | 'steady' | 'held open' | 'let go';

/** Shares of the jobs of the paced part, one after the other. */
const CHAPTERS: readonly (readonly [Chapter, number])[] = [
  ['filling', 0.15],
  ['steady', 0.45],
  ['held open', 0.15],
  ['let go', 0.25],
];

export interface Line {
  readonly chapter: Chapter;
  readonly seconds: number;
  readonly jobsPerSecond: number;
  readonly claimMs: { readonly p50: number; readonly p99: number };
  readonly reading: Reading;
}

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
    new Sweeper(load.engine.context, { timers: systemTimers, retention: RETENTION });
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

/** Writes a line of the report once a day. */
class Watch {
  readonly lines: Line[] = [];
  readonly #site: Site;
  readonly #load: Load;
  readonly #everyMs: number;
  readonly #began = performance.now();

  constructor(site: Site, load: Load, everyMs: number) {
    this.#site = site;
    this.#load = load;
    this.#everyMs = everyMs;
  }

  async during(chapter: Chapter, work: Promise<void>): Promise<void> {
    const over = work.then(() => true);
    for (let isOver = false; !isOver;) {
      const from = { at: performance.now(), ended: this.#load.ended };
      isOver = await Promise.race([over, sleep(this.#everyMs, false)]);
      await this.#add(chapter, from);
    }
  }

  async #add(chapter: Chapter, from: { at: number; ended: number }): Promise<void> {
    const now = performance.now();
    const times = this.#load.takeClaimTimes().toSorted((one, other) => one - other);
    if (times.length === 0 || now - from.at < this.#everyMs / 10) return;
    const at = (share: number): number => times[Math.floor((times.length - 1) * share)]!;
    this.lines.push({
      chapter,
      seconds: (now - this.#began) / 1_000,
      jobsPerSecond: ((this.#load.ended - from.ended) * 1_000) / (now - from.at),
      claimMs: { p50: at(0.5), p99: at(0.99) },
      reading: await this.#site.observe(),
    });
  }
}
