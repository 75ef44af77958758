import type { EventType, JobEvent } from '../../core/event.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { type Phase, rankOf } from '../../core/phase.ts';
import {
  type EntryPage,
  type EntryQuery,
  type EventPage,
  type EventQuery,
  type JobPage,
  type JobQuery,
  type LogEntry,
  type TailPage,
  type TailQuery,
  timeAt,
  timesOf,
} from '../query.ts';
import { isFound, isSearch, SEARCH_WINDOW } from '../search.ts';
import { bitsOf, codeOf, type FilterBits, hasLabels, NO_LABELS, passes } from '../tail-filter.ts';
import { matching } from './records.ts';
import { feedFloor, isGone } from './retention.ts';
import { keyOf, type Tables } from './tables.ts';

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

const MODES = ['throttle', 'debounce', 'replace'] as const;

function hasKey(tables: Tables, { tenant, type, id }: Job, key: string): boolean {
  const standing = [
    tables.keys.get(keyOf(tenant, key)),
    ...MODES.map((mode) => tables.uniqueKeys.get(keyOf(tenant, type, mode, key))),
  ];
  return standing.some((one) => one?.id === id);
}

export function readJobs(tables: Tables, refs: readonly JobRef[], part: 'phase'): (Phase | null)[];
export function readJobs(tables: Tables, refs: readonly JobRef[]): (Job | null)[];
export function readJobs(
  tables: Tables,
  refs: readonly JobRef[],
  part?: 'phase',
): (Job | Phase | null)[] {
  return refs.map((ref) => {
    const job = tables.rowOf(ref)?.job ?? null;
    return part === 'phase' ? (job?.phase ?? null) : job;
  });
}

export function listJobs(tables: Tables, query: JobQuery): JobPage {
  const isAsked = (names: readonly (typeof EXACT)[number][]) => (job: Job) =>
    names.every((name) => query[name] === undefined || job[name] === query[name]);
  const reached = tables.jobs
    .values()
    .map(({ job }) => job)
    .filter(isAsked(INDEXED))
    .filter((job) => query.key === undefined || hasKey(tables, job, query.key))
    .filter((job) => query.before === undefined || job.id < query.before)
    .sort(byDescendingId);
  const size = isSearch(query) ? (query.window ?? SEARCH_WINDOW) : reached.length;
  const found = reached
    .slice(0, size)
    .filter(isAsked(EXACT))
    .filter((job) => isFound(job, query) && isSeen(tables, job, query))
    .filter((job) => query.record === undefined || hasRecord(tables, job, query.record));
  if (found.length > query.limit) return { jobs: found.slice(0, query.limit), hasMore: true };
  const last = isSearch(query) ? reached[size - 1] : undefined;
  if (last === undefined) return { jobs: found, hasMore: false };
  return { jobs: found, hasMore: true, searchedTo: last.id };
}

function isSeen(tables: Tables, job: Job, { seenBy }: JobQuery): boolean {
  if (seenBy === undefined || job.requestedBy === seenBy.principal) return true;
  return seenBy.shares.some((share) => hasRecord(tables, job, share));
}

type OwnRecord = NonNullable<JobQuery['record']>;

function hasRecord(tables: Tables, { tenant, id }: Job, record: OwnRecord): boolean {
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
  const wanted = query.only === undefined ? null : bitsOf(query.only);
  const items = tables.log
    .from(start)
    .map((event, index) => ({ event, cursor: cursorAt(tables, start + index + 1) }))
    .filter(({ event }) => query.tenant === null || event.tenant === query.tenant)
    .filter(({ event }) => wanted === null || isWanted(wanted, event))
    .filter(({ event }) => !isGone(tables, event))
    .slice(0, query.limit)
    .map(({ event, cursor }) => {
      const job = tables.rowOf({ tenant: event.tenant, id: event.jobId })!.job;
      const labels = hasLabels(query, event.jobId) ? job : NO_LABELS;
      const { correlationId, traceId, awaitedBy } = labels;
      return { cursor, event, jobType: job.type, correlationId, traceId, awaitedBy };
    });
  const isFull = items.length === query.limit && items.length > 0;
  return { items, cursor: isFull ? items.at(-1)!.cursor : end, isReset: false };
}

function isWanted(wanted: FilterBits, { type, phase, note, jobId }: JobEvent): boolean {
  return note === 0 && passes(wanted, codeOf(type as EventType), rankOf(phase), jobId);
}

/** Each event is an entry of its own here; notes are none. */
export function readEntries(tables: Tables, query: EntryQuery): EntryPage {
  const page = readTail(tables, { ...query, tenant: null });
  const events = page.items.map(({ event }) => event).filter(({ note }) => note === 0);
  return {
    entries: events.map((event) => entryOf(tables, event)),
    cursor: page.cursor,
    hasMore: page.items.length === query.limit,
    isReset: page.isReset,
  };
}

function entryOf(tables: Tables, { tenant, jobId, at, phase, type: kind }: JobEvent): LogEntry {
  const { type, queue, runAt, startedAt } = tables.rowOf({ tenant, id: jobId })!.job;
  const event = kind as EventType;
  const measure = timesOf(event, phase);
  const times = measure === null ? [] : [timeAt(measure, at, { runAt, startedAt })];
  return { at, tenant, type, queue, event, phase, count: 1, times };
}

function cursorAt(tables: Tables, position: number): string {
  return `${tables.incarnation}.${position}`;
}

function positionOf(tables: Tables, from: TailQuery['from']): number | null {
  const floor = feedFloor(tables);
  if (from === 'start') return floor;
  if (from === 'end') return tables.log.length;
  if ('at' in from) {
    const first = tables.log.from(floor).findIndex(({ at }) => at >= from.at);
    return first === -1 ? tables.log.length : floor + first;
  }
  const [incarnation, position] = from.cursor.split('.');
  const isOurs = incarnation === tables.incarnation && /^\d+$/.test(position ?? '');
  const isKept = Number(position) >= floor && Number(position) <= tables.log.length;
  return isOurs && isKept ? Number(position) : null;
}
