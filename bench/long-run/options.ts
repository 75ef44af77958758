import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

export interface LongRunOptions {
  readonly stores: readonly ('postgres' | 'sqlite')[];
  /** Jobs of the paced part, on each store. */
  readonly jobs: number;
  readonly perSecond: number;
  /** How long a day of the platform takes: retention thinks in days. */
  readonly dayMs: number;
  /** One measurement of the purge's price, with or without it. */
  readonly priceMs: number;
  readonly priceTurns: number;
  readonly isSmoke: boolean;
  readonly command: string;
  readonly loadBefore: number;
}

const USAGE = `npm run bench:long-run -- [options]
  --store sqlite|postgres  only this store; writes no file
  --jobs N                 jobs on each store (150000)
  --rate N                 jobs a second (500)
  --day-seconds N          how long a day takes (15)
  --smoke                  seconds only, on SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): LongRunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: 'string' },
      jobs: { type: 'string', default: '150000' },
      rate: { type: 'string', default: '500' },
      'day-seconds': { type: 'string', default: '15' },
      smoke: { type: 'boolean', default: false },
    },
  });
  const command = ['npm run bench:long-run', ...(args.length === 0 ? [] : ['--', ...args])];
  const told = { command: command.join(' '), loadBefore: loadavg()[0]! };
  if (values.smoke) {
    const small = { jobs: 300, perSecond: 300, dayMs: 1_000, priceMs: 50, priceTurns: 1 };
    return { ...small, ...told, stores: ['sqlite'], isSmoke: true };
  }
  return {
    stores: storesOf(values.store),
    jobs: wholeNumber('jobs', values.jobs),
    perSecond: wholeNumber('rate', values.rate),
    dayMs: wholeNumber('day-seconds', values['day-seconds']) * 1_000,
    priceMs: 10_000,
    priceTurns: 3,
    isSmoke: false,
    ...told,
  };
}

function storesOf(name: string | undefined): LongRunOptions['stores'] {
  if (name === undefined) return ['postgres', 'sqlite'];
  if (name === 'sqlite' || name === 'postgres') return [name];
  throw new TypeError(`--store must be sqlite or postgres\n${USAGE}`);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new TypeError(`--${name} must be a whole number from 1\n${USAGE}`);
}
