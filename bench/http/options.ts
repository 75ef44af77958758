import { parseArgs } from 'node:util';
import {
  ArgumentReader,
  askedFor,
  STORES_ARGUMENTS,
  type StoresAsked,
} from '../harness/arguments.ts';

/** Jobs of one measurement of the verbs, by how they come. */
export interface VerbLoad {
  readonly singles: number;
  /** Connections of the client, or callers in the process, that wait for each call. */
  readonly callers: number;
  readonly batched: number;
  readonly batch: number;
  readonly batchCallers: number;
}

export interface FanOutLoad {
  readonly streams: number;
  /** Jobs that come in a second, each with one event for every stream, and for how long. */
  readonly perSecond: number;
  readonly seconds: number;
  /** Jobs that come at once. */
  readonly burst: number;
}

export interface GatewayLoad {
  readonly jobs: number;
  readonly pollSeconds: number;
  /** What the polls of a job find, one after the other. */
  readonly statuses: readonly string[];
}

export const PARTS = ['verbs', 'streams', 'gateway'] as const;
export type Part = (typeof PARTS)[number];

export interface HttpOptions extends StoresAsked {
  readonly parts: readonly Part[];
  readonly verbs: VerbLoad;
  readonly fanOut: FanOutLoad;
  readonly gateway: GatewayLoad;
  readonly repeats: number;
}

const STATUSES = ['running', 'running', 'successful'];

const SMOKE: Pick<HttpOptions, 'verbs' | 'fanOut' | 'gateway' | 'repeats'> = {
  verbs: { singles: 20, callers: 4, batched: 20, batch: 10, batchCallers: 2 },
  fanOut: { streams: 5, perSecond: 20, seconds: 0.2, burst: 5 },
  gateway: { jobs: 10, pollSeconds: 0.1, statuses: ['running', 'successful'] },
  repeats: 1,
};

const USAGE = `npm run bench:http -- [options]
  --store sqlite|postgres       only this store; writes no file
  --part verbs|streams|gateway  only this part; writes no file
  --jobs N                      jobs of one measurement of the verbs (4000)
  --streams N                   open streams (1000)
  --remote-jobs N               jobs of the gateway (10000)
  --repeats N                   measurements of each (3)
  --smoke                       seconds only, on SQLite: does it work at all?`;

export function parseOptions(args: readonly string[]): HttpOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...STORES_ARGUMENTS,
      part: { type: 'string' },
      jobs: { type: 'string', default: '4000' },
      streams: { type: 'string', default: '1000' },
      'remote-jobs': { type: 'string', default: '10000' },
      repeats: { type: 'string', default: '3' },
    },
  });
  const asked = askedFor('bench:http', args);
  if (values.smoke) return { stores: ['sqlite'], parts: PARTS, ...SMOKE, isSmoke: true, ...asked };
  const read = new ArgumentReader(USAGE);
  const singles = read.wholeNumber('jobs', values.jobs);
  const streams = read.wholeNumber('streams', values.streams);
  const jobs = read.wholeNumber('remote-jobs', values['remote-jobs']);
  const part = PARTS.find((one) => one === values.part);
  if (values.part !== undefined && part === undefined) {
    throw read.refuse('part', `must be one of ${PARTS.join(', ')}`);
  }
  return {
    stores: read.stores(values.store),
    parts: part === undefined ? PARTS : [part],
    verbs: { singles, callers: 64, batched: singles * 3, batch: 100, batchCallers: 8 },
    fanOut: { streams, perSecond: 20, seconds: 10, burst: 200 },
    gateway: { jobs, pollSeconds: 5, statuses: STATUSES },
    repeats: read.wholeNumber('repeats', values.repeats),
    isSmoke: false,
    ...asked,
  };
}
