import { PawlError } from '../core/errors.ts';
import type { JobEvent } from '../core/event.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { Engine } from '../engine/engine.ts';
import { type JobCursors, type Position, START } from '../engine/live/job-cursor.ts';
import { jobTopic } from '../engine/live/live-hub.ts';
import { patiently } from '../engine/live/wait-for-job.ts';
import type { EventOptions } from '../handle/job-access.ts';

const PAGE = 100;
/** Wakes come with the log; this is for a log that cannot be read. */
const LOOK_MS = 10_000;

const NEVER = new AbortController().signal;

/** An event with the cursors of its log. */
export interface Happened {
  readonly event: JobEvent;
  readonly cursors: JobCursors;
}

/** What happened to a job and what happens, from a place on, to its end or the signal. */
export async function* eventsOf(
  engine: Engine,
  ref: JobRef,
  { after, signal = NEVER }: EventOptions,
): AsyncGenerator<Happened> {
  const { live } = engine;
  const ask = <Answer>(question: () => Promise<Answer>): Promise<Answer> =>
    patiently(live, signal, question);
  const cursors = await ask(() => engine.cursors(ref.tenant));
  const ends = AbortSignal.any([signal, live.stopping]);
  const watch = await live.watch(jobTopic(ref));
  try {
    const job = await ask(() => engine.job(ref));
    let at = after === undefined ? START : await placeOf(job, { after, cursors });
    let isOver = isTerminal(job.phase);
    while (!ends.aborted) {
      watch.reset();
      const page = await ask(() => engine.events({ ...ref, after: at, limit: PAGE, notes: true }));
      for (const event of page.events) {
        yield { event, cursors };
        at = { version: event.version, note: event.note };
        isOver ||= isTerminal(event.phase);
        if (ends.aborted) break;
      }
      if (page.hasMore) continue;
      if (isOver) return;
      await watch.wait(LOOK_MS, ends);
    }
  } catch (error) {
    // Who has left does not hear that the database is away.
    signal.throwIfAborted();
    throw error;
  } finally {
    watch.close();
  }
  signal.throwIfAborted();
}

async function placeOf(
  job: Job,
  { after, cursors }: { after: string; cursors: JobCursors },
): Promise<Position> {
  const at = await cursors.read(after, job);
  if (typeof at === 'object') return at;
  throw new PawlError('CURSOR_RESET', `"${after}" is not a cursor of this job's log: leave it out`);
}
