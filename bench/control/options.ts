import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

export interface ControlOptions {
  readonly stores: readonly ('postgres' | 'sqlite')[];
  /** Ready jobs of one full key. */
  readonly parked: number;
  /** Claims of other keys in one measurement. */
  readonly claims: number;
  /** Jobs of one measurement of throughput. */
  readonly jobs: number;
  readonly isSmoke: boolean;
  readonly command: string;
  readonly loadBefore: number;
}

const USAGE = `npm run bench:control -- [options]
  --store sqlite|postgres  only this store; writes no file
  --parked N               ready jobs of one full key (1000000)
  --jobs N                 jobs a measurement (10000)
  --smoke                  seconds only, on SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): ControlOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: 'string' },
      parked: { type: 'string', default: '1000000' },
      jobs: { type: 'string', default: '10000' },
      smoke: { type: 'boolean', default: false },
    },
  });
  const command = ['npm run bench:control', ...(args.length === 0 ? [] : ['--', ...args])];
  const told = { command: command.join(' '), loadBefore: loadavg()[0]! };
  if (values.smoke) {
    const small = { parked: 200, claims: 5, jobs: 200 };
    return { ...small, ...told, stores: ['sqlite'], isSmoke: true };
  }
  return {
    stores: storesOf(values.store),
    parked: wholeNumber('parked', values.parked),
    claims: 300,
    jobs: wholeNumber('jobs', values.jobs),
    isSmoke: false,
    ...told,
  };
}

function storesOf(name: string | undefined): ControlOptions['stores'] {
  if (name === undefined) return ['postgres', 'sqlite'];
  if (name === 'sqlite' || name === 'postgres') return [name];
  throw new TypeError(`--store must be sqlite or postgres\n${USAGE}`);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new TypeError(`--${name} must be a whole number from 1\n${USAGE}`);
}
