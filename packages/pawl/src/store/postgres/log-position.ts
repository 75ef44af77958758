import type { LostTail, TailQuery } from '../query.ts';
import { NameForgotten } from './failure.ts';
import type { Session } from './session.ts';

/** Where a reader stands: all of the numbers before `n`, and so many items of that one. */
export interface Position {
  readonly n: number;
  readonly index: number;
}

/** The same with the highest number of which the reader was told anything. */
export interface Place extends Position {
  readonly seen: number;
}

/** What is the same for every entry: the log's name and where it begins and ends. */
export interface Log {
  readonly incarnation: string;
  readonly floor: number;
  readonly start: number;
}

/** The log as it is now; its name is looked at even where the timeline has the same number. */
export async function readLog({ database, floor }: Session): Promise<Log> {
  const [log] = await database.ask<Log>('log_state', []);
  if (log!.incarnation !== database.log) throw new NameForgotten();
  // Locks of writers are the primary's: a replica sees none of them.
  return floor === null ? log! : { ...log!, floor };
}

/** What a cursor comes to: a place in this log; null: it is of none that this log knows. */
export type Found = { readonly place: Place; readonly lost: LostTail | null } | null;

/** What can be left out of a cursor: who stands within or behind a number has seen some of it. */
function usuallySeen({ n, index }: Position): number {
  return index > 0 ? n : n - 1;
}

export function cursorAt({ incarnation }: Log, place: Place): string {
  const { n, index, seen } = place;
  const more = seen === usuallySeen(place) ? '' : `.${seen}`;
  return `${incarnation}.${n}.${index}${more}`;
}

const CURSOR = /^([\w-]+)\.(\d{1,15})\.(\d{1,9})(?:\.(\d{1,15}))?$/;

export function endOf({ floor }: Log): Place {
  return { n: floor + 1, index: 0, seen: 0 };
}

/** Where a reader goes on. A cursor of a former log is good as far as the two say the same. */
export async function findPlace(
  session: Session,
  from: TailQuery['from'],
  log: Log,
): Promise<Found> {
  if (from === 'start') return { place: { n: log.start, index: 0, seen: 0 }, lost: null };
  if (from === 'end') return { place: endOf(log), lost: null };
  if ('at' in from) {
    const [before] = await session.database.ask<{ n: number }>('last_before', [from.at]);
    return {
      place: { n: Math.max(log.start, (before?.n ?? 0) + 1), index: 0, seen: 0 },
      lost: null,
    };
  }
  const [, name, n, index, told] = CURSOR.exec(from.cursor) ?? [];
  if (name === undefined) return null;
  const position = { n: Number(n), index: Number(index) };
  const place = { ...position, seen: told === undefined ? usuallySeen(position) : Number(told) };
  if (name === log.incarnation) return place.n > log.floor + 1 ? null : kept(place, log, null);
  return placeAfter(session, { log, name, place });
}

/** The place of a reader of a former log. Beyond what both have it was told what is lost now. */
async function placeAfter(
  { database }: Session,
  { log, name, place }: { log: Log; name: string; place: Place },
): Promise<Found> {
  const [before] = await database.ask<{ log_before: number }>('log_before', [name]);
  if (before === undefined) return null;
  const last = before.log_before;
  if (place.n <= last) return kept(place, log, null);
  const end = { n: last + 1, index: 0, seen: Math.min(place.seen, last) };
  if (place.seen <= last) return kept(end, log, null);
  await database.verb('note_lost', [name, place.seen]);
  return kept(end, log, { from: last + 1, to: place.seen });
}

/** Null where the log no longer goes back so far. */
function kept(place: Place, { start }: Log, lost: LostTail | null): Found {
  return place.n < start ? null : { place, lost };
}
