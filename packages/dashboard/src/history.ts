// What the page remembers of one job: all that moved it, and of the rest the latest.
import type { JobEventJson } from '../../pawl/src/contract/job.ts';

export interface History {
  /** Oldest first. */
  readonly events: readonly JobEventJson[];
  /** What the job has generated so far, or the end of it. */
  readonly text: string;
  /** How many events came that are no longer remembered. */
  readonly forgotten: number;
}

const MOVES_KEPT = 1_000;
const NOTES_KEPT = 1_000;
const TEXT_LENGTH_MAX = 200_000;

export const NO_HISTORY: History = { events: [], text: '', forgotten: 0 };

/** A note moves nothing: progress, a line of the log, a piece of text. */
function isNote({ type }: JobEventJson): boolean {
  return ['job_heartbeat', 'job_lease_renewed', 'job_progress', 'job_log', 'job_tokens'].includes(
    type,
  );
}

/** The latest of each kind: a job may write lines for days, and the page stays open. */
function latest(events: readonly JobEventJson[]): readonly JobEventJson[] {
  let notes = events.filter(isNote).length - NOTES_KEPT;
  let moves = events.length - notes - NOTES_KEPT - MOVES_KEPT;
  if (notes <= 0 && moves <= 0) return events;
  return events.filter((event) => (isNote(event) ? notes-- <= 0 : moves-- <= 0));
}

function textOf({ type, metadata }: JobEventJson): string {
  const { text, gap, characters } = metadata;
  if (type !== 'job_tokens') return '';
  if (gap === true) return `[… ${String(characters)} characters not kept …]`;
  return typeof text === 'string' ? text : '';
}

/** The history once `fresh` has come. */
export function grown(history: History, fresh: readonly JobEventJson[]): History {
  const all = [...history.events, ...fresh];
  const events = latest(all);
  return {
    events,
    text: (history.text + fresh.map(textOf).join('')).slice(-TEXT_LENGTH_MAX),
    forgotten: history.forgotten + all.length - events.length,
  };
}
