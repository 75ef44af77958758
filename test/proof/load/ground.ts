// A real database under load, with a clock that can be set on so that jobs come due.
import { openPostgresSite } from '../../../bench/long-run/postgres-site.ts';
import type { Site } from '../../../bench/long-run/site.ts';
import { openSqliteSite } from '../../../bench/long-run/sqlite-site.ts';
import { type Clock, systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import type { EngineContext } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';

export type StoreName = 'sqlite' | 'postgres';

export interface Ground {
  readonly name: string;
  readonly context: EngineContext;
  readonly engine: Engine;
  readonly clock: Clock;
  /** Sets the clock of the database on. */
  pass(ms: number): void;
  close(): Promise<void>;
}

/** The product's own settings: every commit is on the disk before it is answered. */
export async function openGround(name: StoreName): Promise<Ground> {
  let aheadMs = 0;
  const clock: Clock = { now: () => systemClock.now() + aheadMs };
  const open: (clock: Clock) => Promise<Site> =
    name === 'sqlite' ? openSqliteSite : openPostgresSite;
  const site = await open(clock);
  const ids = systemIds(clock);
  const { store } = site;
  const context = openContext({ store, lifecycles, random: systemRandom, ids });
  return {
    name: site.name,
    context,
    engine: new Engine(context),
    clock,
    pass: (ms) => void (aheadMs += ms),
    close: () => site.close(),
  };
}

/** The value below which so much of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
