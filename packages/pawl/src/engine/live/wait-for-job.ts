import { PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import { StoreError } from '../../store/store-error.ts';
import type { EngineContext } from '../context.ts';
import { notFound } from '../refusals.ts';
import { endTopic, jobTopic } from './live-hub.ts';

export interface JobWait {
  /** The wait ends then at the latest, with the job as it stands. */
  readonly signal: AbortSignal;
  /** True for a caller that would rather wait for a database that is away than hear of it. */
  readonly isSteadfast?: boolean;
  /** What is waited for; by default the job's end. */
  readonly isOver?: (job: Job) => boolean;
}

/** Wakes come with the log, which skips nothing; this is for a log that cannot be read. */
const LOOK_MS = 10_000;

const AWAY_MS_MIN = 100;
const AWAY_MS_MAX = 5_000;

/** The job once it is as wished, or as it stands when the signal comes. */
export async function waitForJob(
  { live }: EngineContext,
  ref: JobRef,
  wait: JobWait,
): Promise<Job> {
  const { isOver = hasEnded, isSteadfast = false, signal } = wait;
  const look = (): Promise<Job> =>
    isSteadfast ? patiently(live, signal, () => readOnce(live, ref)) : readOnce(live, ref);
  const first = await look();
  if (isOver(first) || signal.aborted) return first;
  const watch = await live.watch(isOver === hasEnded ? endTopic(ref) : jobTopic(ref));
  const ends = AbortSignal.any([signal, live.stopping]);
  try {
    for (;;) {
      watch.reset();
      const job = await look();
      if (isOver(job) || ends.aborted) return job;
      await watch.wait(LOOK_MS, ends);
    }
  } finally {
    watch.close();
  }
}

function hasEnded({ phase }: Job): boolean {
  return isTerminal(phase);
}

type Live = EngineContext['live'];

async function readOnce(live: Live, ref: JobRef): Promise<Job> {
  const job = await live.jobs.read(ref);
  if (job === null) throw notFound(ref);
  return job;
}

/** Asks again while the database is away; throws the last error when the signal comes. */
export async function patiently<Answer>(
  live: Live,
  signal: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const ends = AbortSignal.any([signal, live.stopping]);
  for (let waitMs = AWAY_MS_MIN; ; waitMs = Math.min(AWAY_MS_MAX, 2 * waitMs)) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) || ends.aborted) throw error;
      await live.timers.sleep(waitMs, ends);
    }
  }
}

/** Whether an error says that the database could not be reached, and may be later. */
function isAway(error: unknown): boolean {
  if (error instanceof StoreError) return error.outcome !== 'refused';
  const codes: readonly string[] = ['STORE_UNAVAILABLE', 'STORE_NOT_WRITABLE', 'OUTCOME_UNKNOWN'];
  return error instanceof PawlError && codes.includes(error.code);
}
