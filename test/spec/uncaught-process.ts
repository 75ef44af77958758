// A program with Pawl in it whose handlers leave errors to nobody. It tells what became of each
// job, what was logged and what was counted, and ends as it should: by itself, with 0. With the
// word "afterwards" it then throws something of its own, when no worker works any more.
import { type InnerPawl, openInner } from '../support/inner-pawl.ts';
import type { Job } from 'pawl/internal/core/job';
import { EngineMetrics } from '@pawl/server/internal/metrics/engine-metrics';
import { Meter } from '@pawl/server/internal/metrics/meter';
import { workerMetrics } from '@pawl/server/internal/metrics/worker-metrics';
import {
  APART_DEEDS,
  DEEDS,
  ended,
  type Deed,
  inline,
  inProcess,
  inThread,
  LATE_DEEDS,
} from '../fixtures/handlers/floating.ts';
import { News } from '../support/news.ts';

export interface Told {
  readonly jobs: readonly {
    readonly kind: string;
    readonly deed: Deed;
    readonly state: string;
    readonly attempts: number;
    readonly result: string | null;
    readonly error: Job['error'];
  }[];
  readonly warnings: readonly {
    readonly message: string;
    readonly facts: Record<string, unknown>;
  }[];
  readonly counted: number;
}

/** What comes afterwards needs no more than one worker that worked. */
const isBrief = process.argv.includes('afterwards');
const KINDS = isBrief ? { inline } : { inline, thread: inThread, process: inProcess };

function deedsIn(kind: string): Deed[] {
  const late = [...Object.keys(LATE_DEEDS), 'waits for the others'] as Deed[];
  return kind === 'inline'
    ? [...(Object.keys(DEEDS) as Deed[]), ...late]
    : [...APART_DEEDS, ...late];
}

async function runAll(pawl: InnerPawl): Promise<Told['jobs']> {
  const made = await Promise.all(
    Object.entries(KINDS).flatMap(([kind, job]) =>
      deedsIn(kind).map(async (deed) => ({ kind, deed, job: await pawl.enqueue(job, deed) })),
    ),
  );
  return Promise.all(
    made.map(async ({ kind, deed, job }) => {
      const { state, attempts, result, error } = await pawl.ended(job);
      return { kind, deed, state, attempts, result, error };
    }),
  );
}

async function countedBy(meter: Meter): Promise<number> {
  const line = /^handler_errors_unattributed_total (\d+)$/m.exec(await meter.scrape());
  return Number(line?.[1]);
}

const warnings: { message: string; facts: Record<string, unknown> }[] = [];
const news = new News();
const log = {
  warn: (message: string, facts: Readonly<Record<string, unknown>>): void => {
    if (message.startsWith('pawl: uncaught error')) warnings.push({ message, facts });
    news.tell();
  },
};
const meter = new Meter({ withProcess: false });
const pawl = await openInner({ database: ':memory:', jobs: Object.values(KINDS), log });
pawl.work({ slots: 64, watch: workerMetrics(new EngineMetrics(meter)) });
const jobs = await runAll(pawl);
ended.emit('all');
// Of nobody's: neither of a handler nor of the platform.
setTimeout(() => {
  throw new Error('of the program itself');
}, 1);
for (const message of ['too late', 'of the program itself']) {
  await news.until(`"${message}" is heard`, () =>
    warnings.some(({ facts }) => facts['error'] === message),
  );
}
const told: Told = { jobs, warnings, counted: await countedBy(meter) };
process.stdout.write(`${JSON.stringify(told)}\n`);
await pawl.close();
if (isBrief) {
  setTimeout(() => {
    throw new Error('when no worker works');
  }, 1);
}
