import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Workload } from './measure.ts';

export interface BenchOptions {
  readonly stores: readonly ('memory' | 'sqlite' | 'postgres')[];
  readonly workload: Workload;
  /** Finished jobs with which the growth is measured; 0 leaves it out. */
  readonly rows: number;
  /** Contenders whose label contains this; null is all. For a profile of one. */
  readonly only: string | null;
  readonly isSmoke: boolean;
  /** What was typed, for the report. */
  readonly command: string;
  /** Processes that wanted a core before the benchmark did: above the cores, figures are noise. */
  readonly loadBefore: number;
}

const SMOKE: Workload = { jobs: 20, batches: [5, 10], callers: 4, latencyJobs: 3, repeats: 1 };

export const USAGE = `npm run bench:core -- [options]
  --store sqlite|postgres  only this store
  --jobs N                 jobs a measurement (5000)
  --repeats N              measurements of each (3)
  --rows N                 finished jobs already there (1000000; 0: leave the growth out)
  --only TEXT              only contenders whose name contains this; writes no file
  --smoke                  seconds only, in memory and SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: 'string' },
      jobs: { type: 'string', default: '5000' },
      repeats: { type: 'string', default: '3' },
      rows: { type: 'string', default: '1000000' },
      only: { type: 'string' },
      smoke: { type: 'boolean', default: false },
    },
  });
  const command = ['npm run bench:core', ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
  const loadBefore = loadavg()[0]!;
  if (values.smoke) {
    const stores = ['memory', 'sqlite'] as const;
    return { stores, workload: SMOKE, rows: 50, only: null, isSmoke: true, command, loadBefore };
  }
  const workload: Workload = {
    jobs: wholeNumber('jobs', values.jobs, 1),
    batches: [100, 500],
    callers: 64,
    latencyJobs: 200,
    repeats: wholeNumber('repeats', values.repeats, 1),
  };
  const rows = wholeNumber('rows', values.rows, 0);
  const stores = storesOf(values.store);
  return { stores, workload, rows, only: values.only ?? null, isSmoke: false, command, loadBefore };
}

function storesOf(name: string | undefined): BenchOptions['stores'] {
  if (name === undefined) return ['sqlite', 'postgres'];
  if (name === 'sqlite' || name === 'postgres') return [name];
  throw new TypeError(`--store must be sqlite or postgres\n${USAGE}`);
}

function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min) return value;
  throw new TypeError(`--${name} must be a whole number from ${min}\n${USAGE}`);
}
