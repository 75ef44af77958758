import { PawlError } from '../core/errors.ts';
import type { JobEvent } from '../core/event.ts';
import type { JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { Engine } from '../engine/engine.ts';
import { JobCursors, type Position, START } from '../engine/live/job-cursor.ts';
import { jobTopic } from '../engine/live/live-hub.ts';
import { isAway } from '../engine/live/wait-for-job.ts';
import type { EventOptions } from '../handle/job-access.ts';

const PAGE = 100;
/** Wakes come with the log; this is for a log that cannot be read. */
const LOOK_MS = 10_000;
const AWAY_MS = 500;

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
  const { live, store } = engine.context;
  const cursors = await JobCursors.of(store);
  let at = after === undefined ? START : await placeOf(engine, ref, { after, cursors });
  const ends = AbortSignal.any([signal, live.stopping]);
  const watch = await live.watch(jobTopic(ref));
  let isOver = isTerminal((await engine.job(ref)).phase);
  try {
    while (!ends.aborted) {
      watch.reset();
      const page = await engine
        .events({ ...ref, after: at, limit: PAGE, notes: true })
        .catch((error: unknown) => {
          if (isAway(error)) return null;
          throw error;
        });
      for (const event of page?.events ?? []) {
        yield { event, cursors };
        at = { version: event.version, note: event.note };
        isOver ||= isTerminal(event.phase);
        if (ends.aborted) break;
      }
      if (page?.hasMore === true) continue;
      if (page !== null && isOver) return;
      await watch.wait(page === null ? AWAY_MS : LOOK_MS, ends);
    }
    signal.throwIfAborted();
  } finally {
    watch.close();
  }
}

async function placeOf(
  engine: Engine,
  ref: JobRef,
  { after, cursors }: { after: string; cursors: JobCursors },
): Promise<Position> {
  const at = cursors.read(after, await engine.job(ref));
  if (typeof at === 'object') return at;
  throw new PawlError('CURSOR_RESET', `"${after}" is no cursor of this job's log: leave it out`);
}
