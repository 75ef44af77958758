import { parseArgs } from 'node:util';
import { ArgumentReader, type Asked, askedFor, type StoreName } from '../harness/arguments.ts';

export interface ControlOptions extends Asked {
  readonly stores: readonly StoreName[];
  /** Ready jobs of one full key. */
  readonly parked: number;
  /** Claims of other keys in one measurement. */
  readonly claims: number;
  /** Jobs of one measurement of throughput. */
  readonly jobs: number;
  readonly isSmoke: boolean;
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
  const asked = askedFor('bench:control', args);
  if (values.smoke) {
    const small = { parked: 200, claims: 5, jobs: 200 };
    return { ...small, ...asked, stores: ['sqlite'], isSmoke: true };
  }
  const read = new ArgumentReader(USAGE);
  return {
    stores: read.stores(values.store, ['postgres', 'sqlite']),
    parked: read.wholeNumber('parked', values.parked),
    claims: 300,
    jobs: read.wholeNumber('jobs', values.jobs),
    isSmoke: false,
    ...asked,
  };
}
