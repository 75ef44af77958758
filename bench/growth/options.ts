import { parseArgs } from 'node:util';
import {
  ArgumentReader,
  askedFor,
  STORES_ARGUMENTS,
  type StoresAsked,
} from '../harness/arguments.ts';

export interface GrowthOptions extends StoresAsked {
  /** Finished jobs of each database that is measured; one is always empty. */
  readonly finished: readonly number[];
  /** Jobs that wait in one more database; 0 for none. */
  readonly backlog: number;
  readonly lives: Lives;
  readonly repeats: number;
}

/** Calls in one repeat: of verbs with one job and with many, of reads, and of the purge. */
export interface Lives {
  readonly single: number;
  readonly batch: number;
  readonly looks: number;
  readonly batchSize: number;
  readonly purges: number;
}

const LIVES: Lives = { single: 40, batch: 15, looks: 15, batchSize: 100, purges: 10 };
const SMOKE: Lives = { single: 2, batch: 1, looks: 1, batchSize: 5, purges: 1 };

const USAGE = `npm run bench:growth -- [options]
  --store sqlite|postgres  only this store; writes no file
  --finished N,N,…         finished jobs of each database (0,1000000,5000000)
  --backlog N              waiting jobs of one more (1000000; 0: none)
  --repeats N              measurements of each (5)
  --smoke                  seconds only, on SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): GrowthOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...STORES_ARGUMENTS,
      finished: { type: 'string', default: '0,1000000,5000000' },
      backlog: { type: 'string', default: '1000000' },
      repeats: { type: 'string', default: '5' },
    },
  });
  const asked = askedFor('bench:growth', args);
  if (values.smoke) {
    const small = { finished: [0, 300], backlog: 200, lives: SMOKE, repeats: 1 };
    return { ...small, ...asked, stores: ['sqlite'], isSmoke: true };
  }
  const read = new ArgumentReader(USAGE);
  const finished = values.finished.split(',').map((text) => read.wholeNumber('finished', text, 0));
  return {
    stores: read.stores(values.store),
    finished: [...new Set([0, ...finished])],
    backlog: read.wholeNumber('backlog', values.backlog, 0),
    lives: LIVES,
    repeats: read.wholeNumber('repeats', values.repeats),
    isSmoke: false,
    ...asked,
  };
}
