import type { JobEvent } from '../../core/event.ts';
import type { TailItem, TailPage, TailQuery } from '../query.ts';
import { entryOf, eventsIn, noteOf } from './history.ts';
import { lastNumber } from './log.ts';
import { type Row, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

/** Where a reader goes on: all of the numbers before `n`, and so many items of that one. */
interface Position {
  readonly n: number;
  readonly index: number;
}

const ROWS_AT_ONCE = 64;

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
  let at = start;
  while (at.n <= last && items.length < query.limit) {
    const rows = rowsFrom(work, at.n);
    if (rows.length === 0) at = end;
    for (const row of rows) {
      const n = row['n'] as number;
      at = readRow(work, row, { query, items, cursorAt, at: n === at.n ? at : { n, index: 0 } });
      if (items.length >= query.limit) break;
    }
  }
  const isFull = items.length >= query.limit;
  return { items, cursor: cursorAt(isFull ? at : end), isReset: false };
}

/** The next rows of log and notes, by their numbers. */
function rowsFrom({ connection }: Work, n: number): Row[] {
  const rows = ['entries_from', 'notes_from'].map((name) =>
    connection.sql(name).all(n, ROWS_AT_ONCE),
  );
  return rows
    .flat()
    .sort((one, other) => (one['n'] as number) - (other['n'] as number))
    .slice(0, ROWS_AT_ONCE);
}

interface Reading {
  readonly query: TailQuery;
  readonly items: TailItem[];
  readonly cursorAt: (position: Position) => string;
  readonly at: Position;
}

/** Reads a row until it or the page ends, and says where to go on. */
function readRow(work: Work, row: Row, { query, items, cursorAt, at }: Reading): Position {
  const lane = work.names.laneOf(row['lane'] as number);
  const tenant = work.names.tenantName(lane.tenant);
  if (query.tenant === null || query.tenant === tenant) {
    const found = itemsOf(work, row, tenant);
    for (let index = at.index; index < found.length; index++) {
      if (items.length >= query.limit) return { n: at.n, index };
      const item = found[index];
      if (item === undefined || item === null) continue;
      const cursor = cursorAt({ n: at.n, index: index + 1 });
      items.push({ cursor, jobType: lane.type, ...item });
    }
  }
  return { n: at.n + 1, index: 0 };
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
    return events.map((event) => ({ event, correlationId, traceId }));
  });
}

/** Null: the cursor is of another log, lies behind this one's end, or before what is kept. */
function positionOf(
  { connection }: Work,
  from: TailQuery['from'],
  { log, end }: { log: string; end: Position },
): Position | null {
  if (from === 'end') return end;
  const first = Number(connection.sql('meta').get('tail_from')?.['value'] ?? 0);
  if (from === 'start') return { n: first, index: 0 };
  const match = /^([^.]+)\.(\d{1,15})\.(\d{1,9})$/.exec(from.cursor);
  if (match === null || match[1] !== log) return null;
  const position = { n: Number(match[2]), index: Number(match[3]) };
  return position.n < first || position.n > end.n ? null : position;
}
