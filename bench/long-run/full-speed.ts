import { systemTimers } from 'pawl/internal/core/timers';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { Load } from './load.ts';
import type { LongRunOptions } from './options.ts';
import { openPostgresSite } from './postgres-site.ts';
import { RETENTION, shortDays } from './short-days.ts';
import type { Site } from './site.ts';
import { openSqliteSite } from './sqlite-site.ts';
import { type Line, Watch } from './watch.ts';

/** One store under all the load that one process can make, with retention on. */
export interface FullSpeed {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly lines: readonly Line[];
  readonly summary: readonly string[];
  readonly jobs: number;
}

/** Readings of one run, enough for a chart; and no closer than a store answers calls. */
const READINGS = 120;
const EVERY_MS_MIN = 200;

/** One store after the other, so that each has the machine. */
export async function runFullSpeed(
  options: LongRunOptions,
  ms: number,
  say: (text: string) => void,
): Promise<FullSpeed[]> {
  const runs: FullSpeed[] = [];
  for (const store of options.stores) {
    const clock = shortDays(options.dayMs);
    const site = await (store === 'postgres' ? openPostgresSite(clock) : openSqliteSite(clock));
    try {
      say(`${site.name}: full speed for ${Math.round(ms / 1_000)} s`);
      runs.push(await runOne(site, await Load.open(site.store, clock), ms));
    } finally {
      await site.close();
    }
  }
  return runs;
}

async function runOne(site: Site, load: Load, ms: number): Promise<FullSpeed> {
  const sweeper = new Sweeper(load.context, { timers: systemTimers, retention: RETENTION });
  sweeper.start();
  const watch = new Watch(site, load, Math.max(EVERY_MS_MIN, ms / READINGS));
  await watch.during(
    'full speed',
    load.runFlatOut(ms).then(() => undefined),
  );
  await sweeper.stop();
  if (load.warnings.length > 0) throw new Error(`a sweep failed: ${load.warnings[0]}`);
  const { name, conditions } = site;
  return { name, conditions, lines: watch.lines, summary: await site.summary(), jobs: load.ended };
}
