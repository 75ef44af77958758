import type { JobEvent } from '../../core/event.ts';
import type { EventPage, EventQuery, TailItem, TailPage, TailQuery } from '../query.ts';
import { EVENT_COLUMNS, eventOfRow } from './event-log.ts';
import { seqOf } from './query.ts';
import { uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const EVENTS_OF = `SELECT version, 0 AS n, ${EVENT_COLUMNS} FROM events
  WHERE job_seq = ? AND version > ? ORDER BY version LIMIT ?`;
const NOTES_OF = `SELECT version, n, ${EVENT_COLUMNS} FROM notes
  WHERE job_seq = ? AND (version, n) > (?, ?) ORDER BY version, n LIMIT ?`;

/** A job's events and notes, merged in the order (version, note). */
export function listEvents(work: Work, query: EventQuery): EventPage {
  const { tenant, id: jobId, limit } = query;
  const seq = seqOf(work, query);
  if (seq === null) return { events: [], hasMore: false };
  const { version, note } = query.after ?? { version: 0, note: 0 };
  const rows = work.connection.sql(EVENTS_OF).all(seq, version, limit + 1);
  if (query.notes) {
    rows.push(...work.connection.sql(NOTES_OF).all(seq, version, note, limit + 1));
  }
  const events = rows.map((row) => eventOfRow(row, { tenant, jobId }));
  events.sort((one, other) => one.version - other.version || one.note - other.note);
  return { events: events.slice(0, limit), hasMore: events.length > limit };
}

/** Where a reader of the feed goes on: at this item of this line. */
interface Position {
  readonly line: number;
  readonly item: number;
}

const INCARNATION = `SELECT value FROM meta WHERE name = 'incarnation'`;
const LAST_LINE = `SELECT seq FROM sqlite_sequence WHERE name = 'feed'`;
const FIRST_LINE = 'SELECT min(seq) AS seq FROM feed';
const LINES = 'SELECT seq, refs FROM feed WHERE seq >= ? ORDER BY seq LIMIT ?';
const LINES_AT_ONCE = 64;
const NUMBERS_PER_REF = 3;

/** The name of this log. */
export function incarnationOf({ connection }: Work): string {
  return String(connection.sql(INCARNATION).get()!['value']);
}

/** Lines stand in the order of their commits, since only one transaction writes at a time. */
export function readTail(work: Work, query: TailQuery): TailPage {
  const { connection } = work;
  const log = incarnationOf(work);
  const last = Number(connection.sql(LAST_LINE).get()?.['seq'] ?? 0);
  const end: Position = { line: last + 1, item: 0 };
  const start = positionOf(work, query.from, { log, end });
  if (start === null) return { items: [], cursor: cursorAt(log, end), isReset: true };
  const items: TailItem[] = [];
  let at = start;
  while (at.line <= last && items.length < query.limit) {
    const lines = connection.sql(LINES).all(at.line, LINES_AT_ONCE);
    if (lines.length === 0) break;
    for (const row of lines) {
      const line = row['seq'] as number;
      const refs = String(row['refs']).split(',').map(Number);
      at = readLine(work, {
        query,
        log,
        refs,
        items,
        at: line === at.line ? at : { line, item: 0 },
      });
      if (items.length >= query.limit) break;
    }
  }
  const isFull = items.length > 0 && items.length >= query.limit;
  return { items, cursor: cursorAt(log, isFull || query.limit <= 0 ? at : end), isReset: false };
}

/** Reads a line until it or the page ends, and says where to go on. */
function readLine(
  work: Work,
  reading: {
    query: TailQuery;
    log: string;
    refs: readonly number[];
    items: TailItem[];
    at: Position;
  },
): Position {
  const { query, log, refs, items, at } = reading;
  const count = refs.length / NUMBERS_PER_REF;
  for (let item = at.item; item < count; item++) {
    if (items.length >= query.limit) return { line: at.line, item };
    const offset = item * NUMBERS_PER_REF;
    const found = itemOf(work, {
      seq: refs[offset]!,
      version: refs[offset + 1]!,
      note: refs[offset + 2]!,
    });
    if (found === null || (query.tenant !== null && found.event.tenant !== query.tenant)) continue;
    items.push({ cursor: cursorAt(log, { line: at.line, item: item + 1 }), ...found });
  }
  return { line: at.line + 1, item: 0 };
}

const JOB_OF = `SELECT id, tenant_id, type AS job_type, correlation_id, trace_id FROM jobs
  WHERE seq = ?`;
const EVENT_AT = `SELECT version, 0 AS n, ${EVENT_COLUMNS} FROM events
  WHERE job_seq = ? AND version = ?`;
const NOTE_AT = `SELECT version, n, ${EVENT_COLUMNS} FROM notes
  WHERE job_seq = ? AND version = ? AND n = ?`;

/** Null for what retention has taken since. */
function itemOf(
  { connection, registry }: Work,
  ref: { seq: number; version: number; note: number },
): ({ event: JobEvent } & Omit<TailItem, 'cursor' | 'event'>) | null {
  const { seq, version, note } = ref;
  const row =
    note === 0
      ? connection.sql(EVENT_AT).get(seq, version)
      : connection.sql(NOTE_AT).get(seq, version, note);
  const job = row === undefined ? undefined : connection.sql(JOB_OF).get(seq);
  if (row === undefined || job === undefined) return null;
  const tenant = registry.tenantName(job['tenant_id'] as number);
  const jobId = uuidOfBytes(job['id'] as Uint8Array);
  return {
    event: eventOfRow(row, { tenant, jobId }),
    jobType: job['job_type'] as string,
    correlationId: job['correlation_id'] as string | null,
    traceId: job['trace_id'] as string | null,
  };
}

function cursorAt(log: string, { line, item }: Position): string {
  return `${log}.${line}.${item}`;
}

/** Null: the cursor is of another log, lies behind this one's end, or before what is kept. */
function positionOf(
  { connection }: Work,
  from: TailQuery['from'],
  { log, end }: { log: string; end: Position },
): Position | null {
  if (from === 'end') return end;
  const first = (connection.sql(FIRST_LINE).get()!['seq'] as number | null) ?? end.line;
  if (from === 'start') return { line: first, item: 0 };
  const match = /^([^.]+)\.(\d+)\.(\d+)$/.exec(from.cursor);
  if (match === null || match[1] !== log) return null;
  const position = { line: Number(match[2]), item: Number(match[3]) };
  return position.line < first || position.line > end.line ? null : position;
}
