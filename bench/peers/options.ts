import { parseArgs } from 'node:util';
import { ArgumentReader, type Asked, askedFor } from '../harness/arguments.ts';
import { CONTENDERS, type Contender } from './contenders.ts';
import { type Row, ROWS } from './rows/row.ts';
import type { Sizes } from './scene.ts';

export interface PeerOptions extends Asked {
  readonly contenders: readonly Contender[];
  readonly rows: readonly Row[];
  readonly sizes: Sizes;
  readonly repeats: number;
  /** Measures the built package rather than the source. */
  readonly isBuilt: boolean;
  /** All contenders and all rows at full size: worth keeping. */
  readonly isWhole: boolean;
}

const WHOLE: Sizes = {
  jobs: 50_000,
  jobsSlow: 3_000,
  singlesMs: 700,
  latencyJobs: 200,
  capMs: 8_000,
};

const QUICK: Sizes = {
  jobs: 1_000,
  jobsSlow: 200,
  singlesMs: 100,
  latencyJobs: 5,
  capMs: 3_000,
};

const REPEATS = 3;

const USAGE = `npm run bench -- [options]
  --only WORDS   only contenders whose name contains one of these words (comma between)
  --rows WORDS   only these rows: ${ROWS.map(({ name }) => name).join(', ')}
  --jobs N       jobs of a drain (${WHOLE.jobs})
  --repeats N    measurements of each (${REPEATS})
  --quick        small and once: does it work at all?
Only a run of everything is written to bench/RESULTS.md; others are printed.`;

export function parseOptions(args: readonly string[]): PeerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rows: { type: 'string' },
      jobs: { type: 'string' },
      repeats: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { quick, only, rows } = values;
  const read = new ArgumentReader(USAGE);
  const sizes = quick ? QUICK : WHOLE;
  const jobs = read.wholeNumber('jobs', values.jobs ?? String(sizes.jobs));
  const repeats = read.wholeNumber('repeats', values.repeats ?? String(quick ? 1 : REPEATS));
  return {
    ...askedFor('bench', args),
    contenders: chosen(CONTENDERS, only, (name, word) => name.includes(word)),
    rows: chosen(ROWS, rows, (name, word) => name === word),
    sizes: { ...sizes, jobs, jobsSlow: Math.min(jobs, sizes.jobsSlow) },
    repeats,
    isBuilt: !quick,
    isWhole: only === undefined && rows === undefined && jobs >= WHOLE.jobs && repeats >= REPEATS,
  };
}

function chosen<Item extends { readonly name: string }>(
  items: readonly Item[],
  words: string | undefined,
  fits: (name: string, word: string) => boolean,
): readonly Item[] {
  if (words === undefined) return items;
  const isWanted = ({ name }: Item): boolean => words.split(',').some((word) => fits(name, word));
  const found = items.filter(isWanted);
  if (found.length > 0) return found;
  const names = items.map(({ name }) => name).join(', ');
  throw new TypeError(`${words} names none of ${names}\n${USAGE}`);
}
