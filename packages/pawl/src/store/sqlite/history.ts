import type { JobEvent } from '../../core/event.ts';
import { phaseOfRank } from '../../core/phase.ts';
import type { EventPage, EventQuery } from '../query.ts';
import { kindOf } from './log.ts';
import { PART_MIN } from './positions.ts';
import { findJob } from './read.ts';
import { C, type JobRow, type Row } from './row.ts';
import type { Work } from './work.ts';

type Ref = Pick<JobEvent, 'tenant' | 'jobId'>;

/** A row of the log with its lists read. */
export interface EntryRow {
  readonly row: Row;
  readonly n: number;
  readonly jobs: readonly number[];
  readonly lists: Readonly<Record<List, readonly number[]>>;
}

const LISTS = ['versions', 'epochs', 'attempts', 'retries', 'progress'] as const;
type List = (typeof LISTS)[number];

export function entryOf(row: Row): EntryRow {
  const list = (name: string): number[] => JSON.parse(row[name] as string) as number[];
  return {
    row,
    n: row['n'] as number,
    jobs: list('jobs'),
    lists: Object.fromEntries(LISTS.map((name) => [name, list(name)])) as Record<List, number[]>,
  };
}

/** What an entry says of one of its jobs; of one that was created and queued at once both. */
export function eventsIn(work: Work, entry: EntryRow, index: number, ref: Ref): JobEvent[] {
  const { row, lists } = entry;
  const of = (name: List): number => lists[name][index] ?? lists[name][0]!;
  const texts =
    row['has_texts'] === 1
      ? work.connection.sql('texts_at').get(entry.jobs[index]!, entry.n)
      : undefined;
  const event = eventOf(work, row, {
    ...ref,
    version: of('versions'),
    note: 0,
    epoch: of('epochs'),
    attempt: of('attempts'),
    retryCount: of('retries'),
    progress: of('progress'),
    ...textsOf(texts),
  });
  const via = row['via_state'] as number | null;
  if (via === null) return [event];
  const { states, table } = work.names.lifecycleOf(row['lifecycle'] as number);
  const between = states[via - 1]!;
  return [
    { ...event, version: 1, to: between, phase: table.initial.phase },
    { ...event, version: 2, type: 'job_queued', from: between },
  ];
}

type Own = Ref &
  Pick<JobEvent, 'version' | 'note' | 'epoch' | 'attempt' | 'retryCount' | 'progress'> &
  Pick<JobEvent, 'stage' | 'message' | 'cause' | 'payload'>;

function eventOf({ names }: Work, row: Row, own: Own): JobEvent {
  const { states } = names.lifecycleOf(row['lifecycle'] as number);
  const from = row['from_state'] as number | null;
  return {
    ...own,
    type: kindOf(row['kind'] as number),
    at: row['ts'] as number,
    from: from === null ? null : states[from - 1]!,
    to: states[(row['to_state'] as number) - 1]!,
    phase: phaseOfRank(row['phase'] as number),
    actor: row['actor'] as string,
  };
}

function textsOf(row: Row | undefined): Pick<Own, 'stage' | 'message' | 'cause' | 'payload'> {
  const payload = (row?.['payload'] ?? null) as string | null;
  return {
    stage: (row?.['stage'] ?? null) as string | null,
    message: (row?.['message'] ?? null) as string | null,
    cause: (row?.['cause'] ?? null) as string | null,
    payload: payload === null ? null : (JSON.parse(payload) as JobEvent['payload']),
  };
}

export function noteOf(work: Work, row: Row, ref: Ref): JobEvent {
  const state = row['state']!;
  return eventOf(
    work,
    { ...row, from_state: state, to_state: state },
    {
      ...ref,
      version: row['version'] as number,
      note: row['note'] as number,
      epoch: row['epoch'] as number,
      attempt: row['attempt'] as number,
      retryCount: row['retry_count'] as number,
      progress: row['progress'] as number,
      ...textsOf(row),
    },
  );
}

/** Where the entries of a job stand in the log, those after a version; as many as a page needs. */
export function positionsOf(
  { connection }: Work,
  row: JobRow,
  { version, limit }: { version: number; limit: number },
): number[] {
  const key = row[C.key]!;
  const own = [row[C.born_n], row[C.claim_n], row[C.end_n], ...listIn(row[C.more_n] as string)];
  const parts = limit === Infinity ? -1 : Math.ceil((limit + 1) / PART_MIN) + 1;
  const older = connection.sql('positions').all(key, version, parts);
  const later = connection.sql('annotation_positions').all(key);
  return [
    ...own.filter((n) => n !== null),
    ...later.map(({ n }) => n!),
    ...older.flatMap(({ ns }) => listIn(ns as string)),
  ] as number[];
}

function listIn(text: string | null): number[] {
  return text === null ? [] : (JSON.parse(text) as number[]);
}

/** A job's events and notes, merged in the order (version, note). */
export function listEvents(work: Work, query: EventQuery): EventPage {
  const { tenant, id: jobId, limit } = query;
  const job = findJob(work, query);
  if (job === null) return { events: [], hasMore: false };
  const { connection } = work;
  const key = job[C.key] as number;
  const ref = { tenant, jobId };
  const { version, note } = query.after ?? { version: 0, note: 0 };
  const positions = positionsOf(work, job, { version, limit });
  const events = connection
    .sql('entries')
    .all(JSON.stringify(positions))
    .map(entryOf)
    .flatMap((entry) => eventsIn(work, entry, entry.jobs.indexOf(key), ref))
    .filter((event) => event.version > version);
  if (query.notes) {
    const notes = connection.sql('notes_of_job').all(key, version, note, limit + 1);
    events.push(...notes.map((row) => noteOf(work, row, ref)));
  }
  events.sort((one, other) => one.version - other.version || one.note - other.note);
  return { events: events.slice(0, limit), hasMore: events.length > limit };
}
