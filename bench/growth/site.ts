import type { Store } from 'pawl/internal/store/store';
import type { Copies } from '../harness/copies.ts';
import type { GrowthOptions } from './options.ts';
import type { Templates } from './templates.ts';

/** What a database holds before it is measured. */
export interface Stock {
  readonly name: string;
  readonly finished: number;
  readonly backlog: number;
  /** Finished so long ago that the purge may take them; the same in every database. */
  readonly old: number;
}

/** A database of its own, filled and open. */
export interface Site {
  readonly stock: Stock;
  readonly store: Store;
  readonly megabytes: number;
  readonly fillSeconds: number;
}

/** Databases of one kind that are measured side by side, the empty one first. */
export interface Field {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly sites: readonly Site[];
  close(): Promise<void>;
}

/** Of one slice of the purge, as the product's own sweep has it. */
export const SLICE = 200;

/** Slices of the first round, which is thrown away. */
export const SPARE_SLICES = 3;

export function stocksOf({ finished, backlog, lives, repeats }: GrowthOptions): Stock[] {
  const old = (lives.purges * repeats + SPARE_SLICES) * SLICE;
  const of = (count: number): string => count.toLocaleString('en');
  const stocks = finished.map((count): Stock => {
    return {
      name: count === 0 ? 'empty' : `${of(count)} finished`,
      finished: count,
      backlog: 0,
      old,
    };
  });
  if (backlog === 0) return stocks;
  return [...stocks, { name: `${of(backlog)} waiting`, finished: 0, backlog, old }];
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** More than a page, in every database: a page that is not full would be cheaper. */
const FAILED = 100;

/** Before every other job: purges go by age, and what is copied must not stand in their way. */
export const TEMPLATES_AGO_MS: number = 34 * DAY_MS;

/**
 * The old ones within one day beyond the thirty that are kept, the finished ones over the days
 * that are, and the waiting ones within the last hour.
 */
export function copiesFor(stock: Stock, { ended, ready }: Templates, now: number): Copies[] {
  const today = now - (now % DAY_MS);
  const month = now - 29 * DAY_MS;
  const old = { from: today - 32 * DAY_MS, to: today - 31 * DAY_MS - 1 };
  return [
    { of: ended, count: stock.old, ...old },
    { of: ended.slice(0, 1), count: FAILED, from: month - 60 * MINUTE_MS, to: month - MINUTE_MS },
    { of: ended, count: stock.finished, from: month, to: now - 61 * MINUTE_MS },
    { of: [ready], count: stock.backlog, from: now - 60 * MINUTE_MS, to: now - MINUTE_MS },
  ];
}
