import { parseArgs } from 'node:util';
import { ArgumentReader, type Asked, askedFor } from '../harness/arguments.ts';

export interface DashboardOptions extends Asked {
  /** In the store before anything is measured. */
  readonly jobs: number;
  /** That arrive by the stream while it is. */
  readonly eventsPerSecond: number;
  readonly seconds: number;
  readonly isSmoke: boolean;
}

const USAGE = `npm run bench:dashboard -- [options]
  --jobs N      jobs in the store (1000000)
  --events N    events a second that arrive meanwhile (1000)
  --seconds N   how long each page is watched (20)
  --smoke       seconds only: does it work at all?`;

export function parseOptions(args: readonly string[]): DashboardOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      jobs: { type: 'string', default: '1000000' },
      events: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '20' },
      smoke: { type: 'boolean', default: false },
    },
  });
  const asked = askedFor('bench:dashboard', args);
  if (values.smoke) return { jobs: 200, eventsPerSecond: 100, seconds: 1, isSmoke: true, ...asked };
  const read = new ArgumentReader(USAGE);
  return {
    jobs: read.wholeNumber('jobs', values.jobs),
    eventsPerSecond: read.wholeNumber('events', values.events),
    seconds: read.wholeNumber('seconds', values.seconds),
    isSmoke: false,
    ...asked,
  };
}
