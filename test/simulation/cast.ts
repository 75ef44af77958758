// Who takes part in a run beside clients, workers and sweepers, and what became of their part.
import { checkHistory } from 'pawl/internal/check/check-history';
import type { JobEvent } from 'pawl/internal/core/event';
import type { SeededRandom } from 'pawl/internal/core/random';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Stage } from './actor.ts';
import { TENANTS } from './client.ts';
import { readAll } from './read-all.ts';
import { Bookkeeper, judgeReading, Reader } from './readers.ts';
import { judgeSlots, SLOT_TENANT } from './slots.ts';

export interface Cast {
  /** The numbers of the workers that are the product's own. */
  readonly loopWorkers: ReadonlySet<number>;
  readonly readers: readonly Reader[];
  readonly bookkeeper: Bookkeeper | null;
  readonly hasSchedule: boolean;
  readonly hasClockJumps: boolean;
  readonly hasLimits: boolean;
  readonly pace: Pace;
}

/** How much happens in a run, and how close together. */
export interface Pace {
  readonly errands: number;
  /** The longest time between two errands of a client. */
  readonly gapMs: number;
  readonly sweepEveryMs: number;
}

const STEADY: Pace = { errands: 36, gapMs: 2_500, sweepEveryMs: 1_000 };

/** Each seed has a part of it only, so that all combinations come up. Null: nobody more. */
export function pickCast(random: SeededRandom | null): Cast {
  const has = (chance: number): boolean => random !== null && random.next() < chance;
  return {
    loopWorkers: new Set([1, 2].filter(() => has(0.5))),
    readers: TENANTS.filter(() => has(0.5)).map((tenant) => new Reader(tenant)),
    bookkeeper: has(0.5) ? new Bookkeeper() : null,
    hasSchedule: has(0.5),
    hasClockJumps: has(0.5),
    hasLimits: has(0.4),
    pace: random === null ? STEADY : pickPace(random),
  };
}

/** Mostly short runs: many small ones find more than a few long ones in the same time. */
function pickPace(random: SeededRandom): Pace {
  return {
    errands: random.pick([3, 3, 4, 4, 6, 6, 8, 9, 12, 36]),
    gapMs: random.pick([150, 600, 2_500]),
    sweepEveryMs: random.pick([1_000, 3_000, 6_000]),
  };
}

export async function judgeCast(
  cast: Cast,
  { store, scheduler, ids, random }: Stage,
  events: readonly JobEvent[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const { readers, bookkeeper, hasSchedule } = cast;
  const scheduled = hasSchedule ? await readAll(store, [SLOT_TENANT]) : null;
  const log = [...events, ...(scheduled?.events ?? [])];
  for (const reader of readers) {
    while (await reader.read((query) => store.tail(query), 100));
    const own = log.filter(({ tenant }) => tenant === reader.tenant);
    const reading = { seen: reader.seen, log: own, once: true };
    problems.push(...judgeReading(`the reader of ${reader.tenant}`, reading));
  }
  if (bookkeeper !== null) {
    const { clock } = scheduler;
    const context = openContext({ store, lifecycles: builtInLifecycles, random, ids, clock });
    await bookkeeper.finish(context, (ms) => void clock.advance(ms));
    const moves = log.filter(({ note }) => note === 0);
    const reading = { seen: bookkeeper.seen, log: moves, once: false };
    problems.push(...judgeReading('the bookkeeper', reading));
  }
  if (scheduled !== null) {
    const laws = checkHistory({ lifecycles: builtInLifecycles, ...scheduled });
    problems.push(...laws.map(({ invariant, message }) => `${invariant} ${message}`));
    problems.push(...(await judgeSlots(store, scheduled.events)));
  }
  return problems;
}
