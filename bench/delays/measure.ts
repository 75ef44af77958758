// How late work begins that waits for its time, with a real platform and its own worker.
import { SeededRandom } from 'pawl/internal/core/random';
import { defineJob, openPawl, typed } from 'pawl';

/** Milliseconds between the time at which each was due and its handler's first line. */
export interface Lateness {
  readonly delayed: readonly number[];
  readonly retried: readonly number[];
}

export interface DelaysOptions {
  readonly database: string;
  /** Jobs of each sort, one at a time. */
  readonly jobs: number;
  readonly delayMs: { readonly min: number; readonly max: number };
  readonly backoffMs: number;
}

const SEED = 6;

export async function measureDelays(options: DelaysOptions): Promise<Lateness> {
  const { jobs, delayMs, backoffMs } = options;
  const random = new SeededRandom(SEED);
  /** When the latest attempt of each job has begun. */
  const begun = new Map<string, number>();
  const work = defineJob('delays', {
    input: typed<{ failures: number }>(),
    maxAttempts: 2,
    backoff: backoffMs,
    run: ({ input, job, attempt }) => {
      begun.set(job.id, Date.now());
      if (attempt <= input.failures) throw new Error('once more');
    },
  });
  const pawl = await openPawl({ database: options.database, jobs: [work] });
  pawl.work();
  const lateBy = async (failures: number, delay: number): Promise<number> => {
    const job = await pawl.enqueue(work, { failures }, { delay });
    const { id, runAt } = await job.ended();
    return begun.get(id)! - runAt.getTime();
  };
  const delayed: number[] = [];
  const retried: number[] = [];
  try {
    for (let n = 0; n < jobs; n++) {
      const ms = Math.round(delayMs.min + random.next() * (delayMs.max - delayMs.min));
      delayed.push(await lateBy(0, ms));
      retried.push(await lateBy(1, 0));
    }
    return { delayed, retried };
  } finally {
    await pawl.close();
  }
}
