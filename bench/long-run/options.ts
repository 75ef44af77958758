import { parseArgs } from 'node:util';
import {
  ArgumentReader,
  askedFor,
  STORES_ARGUMENTS,
  type StoresAsked,
} from '../harness/arguments.ts';

export interface LongRunOptions extends StoresAsked {
  /** Jobs of the paced part, on each store. */
  readonly jobs: number;
  readonly perSecond: number;
  /** How long a day of the platform takes: retention thinks in days. */
  readonly dayMs: number;
  /** One measurement of the purge's price, with or without it. */
  readonly priceMs: number;
  readonly priceTurns: number;
  /** As fast as it goes, for so long and nothing else; null for the paced run. */
  readonly fullSpeedMs: number | null;
}

const USAGE = `npm run bench:long-run -- [options]
  --store sqlite|postgres  only this store; writes no file
  --jobs N                 jobs on each store (150000)
  --rate N                 jobs a second (500)
  --day-seconds N          how long a day takes (15; 60 at full speed)
  --full-speed             as fast as it goes instead, with a chart of what it leaves behind
  --minutes N              for so long (10)
  --smoke                  seconds only, on SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): LongRunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...STORES_ARGUMENTS,
      jobs: { type: 'string', default: '150000' },
      rate: { type: 'string', default: '500' },
      'day-seconds': { type: 'string' },
      'full-speed': { type: 'boolean', default: false },
      minutes: { type: 'string', default: '10' },
    },
  });
  const asked = askedFor('bench:long-run', args);
  if (values.smoke) {
    // A lease lasts a day at most: on a busy machine a shorter one would run out.
    const small = { jobs: 300, perSecond: 300, dayMs: 10_000, priceMs: 50, priceTurns: 1 };
    const fullSpeedMs = values['full-speed'] ? 1_000 : null;
    return { ...small, ...asked, fullSpeedMs, stores: ['sqlite'], isSmoke: true };
  }
  const read = new ArgumentReader(USAGE);
  const minutes = read.wholeNumber('minutes', values.minutes);
  const { 'full-speed': isFullSpeed } = values;
  const { 'day-seconds': daySeconds = isFullSpeed ? '60' : '15' } = values;
  return {
    stores: read.stores(values.store),
    jobs: read.wholeNumber('jobs', values.jobs),
    perSecond: read.wholeNumber('rate', values.rate),
    dayMs: read.wholeNumber('day-seconds', daySeconds) * 1_000,
    priceMs: 10_000,
    priceTurns: 3,
    fullSpeedMs: isFullSpeed ? minutes * 60_000 : null,
    isSmoke: false,
    ...asked,
  };
}
