import { parseArgs } from 'node:util';
import {
  ArgumentReader,
  type Asked,
  askedFor,
  type StoreName,
  STORES_ARGUMENTS,
} from '../harness/arguments.ts';
import type { Workload } from './measure.ts';

export interface BenchOptions extends Asked {
  readonly stores: readonly ('memory' | StoreName)[];
  readonly workload: Workload;
  /** Finished jobs with which the growth is measured; 0 leaves it out. */
  readonly rows: number;
  /** Contenders whose label contains this; null is all. For a profile of one. */
  readonly only: string | null;
  readonly isSmoke: boolean;
}

const SMOKE: Workload = { jobs: 20, batches: [5, 10], callers: 4, latencyJobs: 3, repeats: 1 };

export const USAGE = `npm run bench:core -- [options]
  --store sqlite|postgres  only this store; writes no file
  --jobs N                 jobs a measurement (5000)
  --repeats N              measurements of each (3)
  --rows N                 finished jobs already there (1000000; 0: leave the growth out)
  --only TEXT              only contenders whose name contains this; writes no file
  --smoke                  seconds only, in memory and SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...STORES_ARGUMENTS,
      jobs: { type: 'string', default: '5000' },
      repeats: { type: 'string', default: '3' },
      rows: { type: 'string', default: '1000000' },
      only: { type: 'string' },
    },
  });
  const asked = askedFor('bench:core', args);
  const read = new ArgumentReader(USAGE);
  if (values.smoke) {
    const stores = ['memory', 'sqlite'] as const;
    return { stores, workload: SMOKE, rows: 50, only: null, isSmoke: true, ...asked };
  }
  const workload: Workload = {
    jobs: read.wholeNumber('jobs', values.jobs),
    batches: [100, 500],
    callers: 64,
    latencyJobs: 200,
    repeats: read.wholeNumber('repeats', values.repeats),
  };
  const rows = read.wholeNumber('rows', values.rows, 0);
  const stores = read.stores(values.store, ['sqlite', 'postgres']);
  return { stores, workload, rows, only: values.only ?? null, isSmoke: false, ...asked };
}
