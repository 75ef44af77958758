import { parseArgs } from 'node:util';
import {
  ArgumentReader,
  askedFor,
  STORES_ARGUMENTS,
  type StoresAsked,
} from '../harness/arguments.ts';

export interface ControlOptions extends StoresAsked {
  /** Ready jobs of one full key. */
  readonly parked: number;
  /** Claims of other keys in one measurement. */
  readonly claims: number;
  /** Jobs of one measurement of throughput. */
  readonly jobs: number;
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
      ...STORES_ARGUMENTS,
      parked: { type: 'string', default: '1000000' },
      jobs: { type: 'string', default: '10000' },
    },
  });
  const asked = askedFor('bench:control', args);
  if (values.smoke) {
    const small = { parked: 200, claims: 5, jobs: 200 };
    return { ...small, ...asked, stores: ['sqlite'], isSmoke: true };
  }
  const read = new ArgumentReader(USAGE);
  return {
    stores: read.stores(values.store),
    parked: read.wholeNumber('parked', values.parked),
    claims: 300,
    jobs: read.wholeNumber('jobs', values.jobs),
    isSmoke: false,
    ...asked,
  };
}
