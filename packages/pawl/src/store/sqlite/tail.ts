import type { EventType, JobEvent } from '../../core/event.ts';
import { rankOf } from '../../core/phase.ts';
import type { TailItem, TailPage, TailQuery } from '../query.ts';
import { bitsOf, codeOf, type FilterBits, hasLabels, NO_LABELS, passes } from '../tail-filter.ts';
import { entryOf, eventsIn, noteOf } from './history.ts';
import { awaitedByOf } from './labels.ts';
import { lastNumber } from './log.ts';
import type { Row } from './row.ts';
import { uuidOfBytes } from './uuid-bytes.ts';
import type { Work } from './work.ts';

/** Where a reader goes on: all of the numbers before `n`, and so many items of that one. */
export interface Position {
  readonly n: number;
  readonly index: number;
}

/** A row may tell of a thousand jobs: the first rows read are few, and those after them more. */
const ROWS_MIN = 8;
const ROWS_MAX = 64;
/** So many numbers are looked through at once for the few that a filter wants. */
const PASSED_MAX = 20_000;

/** The name of this log. */
export function incarnationOf({ connection }: Work): string {
  return String(connection.sql('meta').get('incarnation')!['value']);
}

/** Numbers stand in the order of their commits, since only one transaction writes at a time. */
export function readTail(work: Work, query: TailQuery): TailPage {
  const log = incarnationOf(work);
  const last = lastNumber(work.connection);
  const cursorAt = ({ n, index }: Position): string => `${log}.${n}.${index}`;
  const end: Position = { n: last + 1, index: 0 };
  const start = positionOf(work, query.from, { log, end });
  if (start === null) return { items: [], cursor: cursorAt(end), isReset: true };
  const items: TailItem[] = [];
  const wanted = query.only === undefined ? null : bitsOf(query.only);
  let at = start;
  for (let limit = ROWS_MIN; at.n <= last && items.length < query.limit; limit *= 2) {
    const { rows, reached } = rowsFrom(work, at.n, {
      limit: Math.min(limit, ROWS_MAX),
      wanted,
      last,
    });
    for (const row of rows) {
      const n = row['n'] as number;
      const from = n === at.n ? at : { n, index: 0 };
      at = readRow(work, row, { query, wanted, items, cursorAt, at: from });
      if (items.length >= query.limit) break;
    }
    if (items.length < query.limit) at = { n: reached + 1, index: 0 };
  }
  return { items, cursor: cursorAt(at), isReset: false };
}

interface Stretch {
  readonly limit: number;
  readonly wanted: FilterBits | null;
  readonly last: number;
}

/** The next rows of log and notes by their numbers, and up to which one there are no others. */
function rowsFrom(work: Work, n: number, stretch: Stretch): { rows: Row[]; reached: number } {
  const { limit, wanted } = stretch;
  const last = wanted === null ? stretch.last : Math.min(stretch.last, n + PASSED_MAX);
  const rows = (wanted === null ? everything : entriesOf)(work, { ...stretch, n, last });
  return { rows, reached: rows.length < limit ? last : (rows.at(-1)!['n'] as number) };
}

interface Range extends Stretch {
  readonly n: number;
}

function everything({ connection }: Work, { n, limit }: Range): Row[] {
  const rows = ['entries_from', 'notes_from'].map((name) => connection.sql(name).all(n, limit));
  return rows
    .flat()
    .sort((one, other) => (one['n'] as number) - (other['n'] as number))
    .slice(0, limit);
}

function entriesOf({ connection }: Work, { n, last, limit, wanted }: Range): Row[] {
  const { events, phases, gatedEvents, gatedPhases } = wanted!;
  return connection.sql('entries_of').all(n, last, limit, events, phases, gatedEvents, gatedPhases);
}

interface Reading {
  readonly query: TailQuery;
  readonly wanted: FilterBits | null;
  readonly items: TailItem[];
  readonly cursorAt: (position: Position) => string;
  readonly at: Position;
}

/** Reads a row until it or the page ends, and says where to go on. */
function readRow(work: Work, row: Row, reading: Reading): Position {
  const { query, wanted, items, cursorAt, at } = reading;
  const lane = work.names.laneOf(row['lane'] as number);
  const tenant = work.names.tenantName(lane.tenant);
  if (query.tenant === null || query.tenant === tenant) {
    const found = itemsOf(work, row, tenant);
    for (let index = at.index; index < found.length; index++) {
      if (items.length >= query.limit) return { n: at.n, index };
      const item = found[index];
      if (item === undefined || item === null) continue;
      if (wanted !== null && !isWanted(wanted, item.event)) continue;
      const cursor = cursorAt({ n: at.n, index: index + 1 });
      const labels = hasLabels(query, item.event.jobId) ? {} : NO_LABELS;
      items.push({ cursor, jobType: lane.type, ...item, ...labels });
    }
  }
  return { n: at.n + 1, index: 0 };
}

function isWanted(wanted: FilterBits, { type, phase, jobId }: JobEvent): boolean {
  return passes(wanted, codeOf(type as EventType), rankOf(phase), jobId);
}

type Found = Omit<TailItem, 'cursor' | 'jobType'>;

/** Null for what retention has taken since. */
function itemsOf(work: Work, row: Row, tenant: string): (Found | null)[] {
  const isNote = 'note' in row;
  const keys = isNote ? [row['key'] as number] : entryOf(row).jobs;
  const facts = new Map(
    work.connection
      .sql('labels')
      .all(JSON.stringify(keys))
      .map((label) => [label['key'] as number, label]),
  );
  const entry = isNote ? null : entryOf(row);
  return keys.flatMap((key, index) => {
    const label = facts.get(key);
    if (label === undefined) return (row['via_state'] ?? null) === null ? [null] : [null, null];
    const ref = { tenant, jobId: uuidOfBytes(label['id'] as Uint8Array) };
    const events: JobEvent[] =
      entry === null ? [noteOf(work, row, ref)] : eventsIn(work, entry, index, ref);
    const correlationId = label['correlation_id'] as string | null;
    const traceId = label['trace_id'] as string | null;
    const place = label['awaited_by'] as string | null;
    const awaitedBy = place === null ? null : awaitedByOf(place);
    return events.map((event) => ({ event, correlationId, traceId, awaitedBy }));
  });
}

/** Null: the cursor is of another log, lies behind this one's end, or before what is kept. */
export function positionOf(
  { connection }: Work,
  from: TailQuery['from'],
  { log, end }: { log: string; end: Position },
): Position | null {
  if (from === 'end') return end;
  const first = Number(connection.sql('meta').get('tail_from')?.['value'] ?? 0);
  if (from === 'start') return { n: first, index: 0 };
  if ('at' in from) {
    const before = Number(connection.sql('last_before').get(from.at)?.['n'] ?? 0);
    return { n: Math.max(first, before + 1), index: 0 };
  }
  const match = /^([^.]+)\.(\d{1,15})\.(\d{1,9})$/.exec(from.cursor);
  if (match === null || match[1] !== log) return null;
  const position = { n: Number(match[2]), index: Number(match[3]) };
  return position.n < first || position.n > end.n ? null : position;
}
