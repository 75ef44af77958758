import { EVENT_TYPES } from '../../core/event.ts';
import { phaseOfRank } from '../../core/phase.ts';
import {
  ENTRY_SAMPLE_MAX,
  type EntryPage,
  type EntryQuery,
  type LogEntry,
  timeAt,
  timesOf,
} from '../query.ts';
import type { Session } from './session.ts';
import { cursorAt, endOf, findPlace, readLog } from './log-position.ts';

interface EntryRow {
  readonly n: number;
  readonly at: number;
  readonly lane: number;
  readonly kind: number;
  readonly phase: number;
  readonly count: number;
  /** A sample of them, as JSON. */
  readonly jobs: string | null;
}

interface TimesRow {
  readonly id: string;
  readonly tenant: number;
  readonly run_at: number | null;
  readonly started_at: number | null;
}

interface Counted {
  readonly tenant: number;
  readonly entry: LogEntry;
  readonly measure: 'wait' | 'duration' | null;
  readonly sample: readonly string[];
}

/** Up to the lowest number that somebody may still be writing, as with the tail. */
export async function readEntries(session: Session, query: EntryQuery): Promise<EntryPage> {
  const { database, names } = session;
  const log = await readLog(session);
  const end = endOf(log);
  const found = await findPlace(session, query.from, log);
  const none = { entries: [], hasMore: false, isReset: true } as const;
  if (found === null) return { ...none, cursor: cursorAt(log, end) };
  const { place, lost } = found;
  if (lost !== null) return { ...none, cursor: cursorAt(log, place), lost };
  const { limit } = query;
  const values = [place.n, log.floor, limit, ENTRY_SAMPLE_MAX];
  const rows = limit === 0 ? [] : await database.ask<EntryRow>('entry_counts', values);
  await names.learn(rows);
  const counted = rows.map((row) => countedOf(session, row));
  const hasMore = rows.length === limit && limit > 0;
  const seen = rows.at(-1)?.n ?? place.seen;
  return {
    entries: await withTimes(session, counted),
    cursor: cursorAt(log, { n: hasMore ? seen + 1 : end.n, index: 0, seen }),
    hasMore,
    isReset: false,
  };
}

function countedOf({ names }: Session, row: EntryRow): Counted {
  const { at, lane, count, jobs } = row;
  const { tenant, type, queue } = names.laneOf(lane);
  const event = EVENT_TYPES[row.kind - 1]!;
  const phase = phaseOfRank(row.phase);
  const measure = timesOf(event, phase);
  const sample = measure === null || jobs === null ? [] : (JSON.parse(jobs) as string[]);
  const tenantName = names.tenantName(tenant);
  const entry = { at, tenant: tenantName, type, queue, event, phase, count, times: [] };
  return { tenant, entry, measure, sample };
}

async function withTimes({ database }: Session, counted: readonly Counted[]): Promise<LogEntry[]> {
  const ids = [...new Set(counted.flatMap(({ sample }) => sample))];
  const rows = ids.length === 0 ? [] : await database.ask<TimesRow>('job_times', [ids]);
  const known = new Map(rows.map((row) => [`${row.id} ${row.tenant}`, row]));
  return counted.map(({ tenant, entry, measure, sample }) => {
    if (measure === null) return entry;
    const times = sample.map((id) => {
      const row = known.get(`${id} ${tenant}`);
      const { run_at: runAt = null, started_at: startedAt = null } = row ?? {};
      return timeAt(measure, entry.at, { runAt, startedAt });
    });
    return { ...entry, times };
  });
}
