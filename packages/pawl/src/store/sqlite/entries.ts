import type { EventType } from '../../core/event.ts';
import { phaseOfRank } from '../../core/phase.ts';
import {
  type EntryPage,
  type EntryQuery,
  type LogEntry,
  sampleOf,
  timeAt,
  timesOf,
} from '../query.ts';
import { kindOf, lastNumber } from './log.ts';
import type { Row } from './row.ts';
import { incarnationOf, type Position, positionOf } from './tail.ts';
import type { Work } from './work.ts';

/** An entry whose jobs' times are still to be read. */
interface Counted {
  readonly entry: LogEntry;
  readonly measure: 'wait' | 'duration' | null;
  readonly sample: readonly number[];
}

/** Notes are not read: they share the numbers, so a page may end before the log does. */
export function readEntries(work: Work, query: EntryQuery): EntryPage {
  const log = incarnationOf(work);
  const end: Position = { n: lastNumber(work.connection) + 1, index: 0 };
  const cursorAt = (n: number): string => `${log}.${n}.0`;
  const start = positionOf(work, query.from, { log, end });
  if (start === null) {
    return { entries: [], cursor: cursorAt(end.n), hasMore: false, isReset: true };
  }
  const rows = work.connection.sql('entry_counts').all(start.n, query.limit);
  const counted = rows.map((row) => countedOf(work, row));
  const hasMore = rows.length === query.limit && rows.length > 0;
  const next = hasMore ? (rows.at(-1)!['n'] as number) + 1 : end.n;
  return { entries: withTimes(work, counted), cursor: cursorAt(next), hasMore, isReset: false };
}

function countedOf({ names }: Work, row: Row): Counted {
  const lane = names.laneOf(row['lane'] as number);
  const jobs = JSON.parse(row['jobs'] as string) as number[];
  const event = kindOf(row['kind'] as number) as EventType;
  const phase = phaseOfRank(row['phase'] as number);
  const measure = timesOf(event, phase);
  const entry: LogEntry = {
    at: row['ts'] as number,
    tenant: names.tenantName(lane.tenant),
    type: lane.type,
    queue: lane.queue,
    event,
    phase,
    count: jobs.length,
    times: [],
  };
  return { entry, measure, sample: measure === null ? [] : sampleOf(jobs) };
}

function withTimes({ connection }: Work, counted: readonly Counted[]): LogEntry[] {
  const keys = [...new Set(counted.flatMap(({ sample }) => sample))];
  const rows = keys.length === 0 ? [] : connection.sql('job_times').all(JSON.stringify(keys));
  const known = new Map(rows.map((row) => [row['key'] as number, row]));
  return counted.map(({ entry, measure, sample }) => {
    if (measure === null) return entry;
    const times = sample.map((key) => {
      const row = known.get(key)!;
      const runAt = row['run_at'] as number | null;
      const startedAt = row['started_at'] as number | null;
      return timeAt(measure, entry.at, { runAt, startedAt });
    });
    return { ...entry, times };
  });
}
