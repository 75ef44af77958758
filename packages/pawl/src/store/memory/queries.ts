import type { JobEvent } from '../../core/event.ts';
import type { Job } from '../../core/job.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from '../query.ts';
import { isFound, isSearch, SEARCH_WINDOW } from '../search.ts';
import { matching } from './records.ts';
import { feedFloor, isGone } from './retention.ts';
import type { Tables } from './tables.ts';

const EXACT = [
  'tenant',
  'type',
  'state',
  'phase',
  'queue',
  'documentId',
  'correlationId',
  'parentJobId',
] as const;

/** Those that an index leads to: a search has its window over them. */
const INDEXED = ['tenant', 'documentId', 'correlationId', 'parentJobId'] as const;

export function listJobs(tables: Tables, query: JobQuery): JobPage {
  const isAsked = (names: readonly (typeof EXACT)[number][]) => (job: Job) =>
    names.every((name) => query[name] === undefined || job[name] === query[name]);
  const reached = tables.jobs
    .values()
    .map(({ job }) => job)
    .filter(isAsked(INDEXED))
    .filter((job) => query.before === undefined || job.id < query.before)
    .sort(byDescendingId);
  const size = isSearch(query) ? (query.window ?? SEARCH_WINDOW) : reached.length;
  const found = reached
    .slice(0, size)
    .filter(isAsked(EXACT))
    .filter((job) => isFound(job, query) && hasRecord(tables, job, query.record));
  if (found.length > query.limit) return { jobs: found.slice(0, query.limit), hasMore: true };
  const last = isSearch(query) ? reached[size - 1] : undefined;
  if (last === undefined) return { jobs: found, hasMore: false };
  return { jobs: found, hasMore: true, searchedTo: last.id };
}

function hasRecord(tables: Tables, { tenant, id }: Job, record: JobQuery['record']): boolean {
  if (record === undefined) return true;
  return matching(tables, { ...record, tenants: [tenant] }).some(({ jobId }) => jobId === id);
}

function byDescendingId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? 1 : -1;
}

export function listEvents(tables: Tables, query: EventQuery): EventPage {
  const { after } = query;
  const found = tables.log
    .from(0)
    .filter((event) => event.tenant === query.tenant && event.jobId === query.id)
    .filter((event) => query.notes || event.note === 0)
    .filter((event) => !isGone(tables, event))
    .filter((event) => after === null || byKey(after, event) < 0)
    .sort(byKey);
  return { events: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

type EventKey = Pick<JobEvent, 'version' | 'note'>;

function byKey(one: EventKey, other: EventKey): number {
  return one.version - other.version || one.note - other.note;
}

/** A cursor is the log's name and how much of it was read. */
export function readTail(tables: Tables, query: TailQuery): TailPage {
  const start = positionOf(tables, query.from);
  const end = cursorAt(tables, tables.log.length);
  if (start === null) return { items: [], cursor: end, isReset: true };
  const items = tables.log
    .from(start)
    .map((event, index) => ({ event, cursor: cursorAt(tables, start + index + 1) }))
    .filter(({ event }) => query.tenant === null || event.tenant === query.tenant)
    .filter(({ event }) => !isGone(tables, event))
    .slice(0, query.limit)
    .map(({ event, cursor }) => {
      const job = tables.rowOf({ tenant: event.tenant, id: event.jobId })!.job;
      const { type, correlationId, traceId } = job;
      return { cursor, event, jobType: type, correlationId, traceId };
    });
  const isFull = items.length === query.limit && items.length > 0;
  return { items, cursor: isFull ? items.at(-1)!.cursor : end, isReset: false };
}

function cursorAt(tables: Tables, position: number): string {
  return `${tables.incarnation}.${position}`;
}

function positionOf(tables: Tables, from: TailQuery['from']): number | null {
  const floor = feedFloor(tables);
  if (from === 'start') return floor;
  if (from === 'end') return tables.log.length;
  const [incarnation, position] = from.cursor.split('.');
  const isOurs = incarnation === tables.incarnation && /^\d+$/.test(position ?? '');
  const isKept = Number(position) >= floor && Number(position) <= tables.log.length;
  return isOurs && isKept ? Number(position) : null;
}
