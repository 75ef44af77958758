import type { Instant } from '../../core/clock.ts';
import type { Purge, Purged } from '../retention.ts';
import { lastNumber } from './log.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

/** What one slice of a kind came to. */
interface Slice {
  readonly count: number;
  readonly hasMore: boolean;
}

const NONE: Slice = { count: 0, hasMore: false };

/** For so long a claim may be asked again. */
const CLAIM_KEPT_MS = 3_600_000;

export function purge(work: Work, cuts: Purge): Purged {
  return changing(work, () => {
    const { limit } = cuts;
    const slices = {
      jobs: sliceOf(cuts.jobs, (cut) => purgeJobsAndLog(work, cut, limit)),
      notes: sliceOf(cuts.notes, (cut) => purgeNotes(work, cut, limit)),
      feed: sliceOf(cuts.feed, (cut) => forgetTail(work, cut, limit)),
      keys: sliceOf(cuts.keys, (cut) => purgeKeys(work, cut, limit)),
    };
    return {
      jobs: slices.jobs.count,
      notes: slices.notes.count,
      feed: slices.feed.count,
      keys: slices.keys.count,
      days: 0,
      hasMore: limit > 0 && Object.values(slices).some(({ hasMore }) => hasMore),
    };
  });
}

function sliceOf(cut: Instant | null, body: (cut: Instant) => Slice): Slice {
  return cut === null ? NONE : body(cut);
}

/** Does what only erasure and purge may do: the guard sees it, and nobody else ever does. */
export function changing<Answer>({ connection }: Work, body: () => Answer): Answer {
  connection.sql('put_meta').run('may_change', 'yes');
  const answer = body();
  connection.sql('put_meta').run('may_change', 'no');
  return answer;
}

function positionOf({ connection }: Work, name: string): number {
  return Number(connection.sql('meta').get(name)?.['value'] ?? 0);
}

function keepPosition({ connection }: Work, name: string, position: number): void {
  connection.sql('put_meta').run(name, String(position));
}

/** First over all jobs, then over the entries that they have left behind. */
function purgeJobsAndLog(work: Work, cut: Instant, limit: number): Slice {
  const isInLog = positionOf(work, 'purge_log') > 0;
  const jobs = isInLog ? NONE : purgeJobs(work, cut, limit);
  return jobs.hasMore ? jobs : { ...jobs, hasMore: purgeLog(work, cut, limit) };
}

const BESIDE = [
  'stages',
  'details',
  'positions',
  'annotations',
  'texts',
  'notes_of',
  'moved',
  'ended',
];

/**
 * Goes over the jobs in the order of their birth, up to the first that was born after the cut and
 * so cannot have ended before it. Then it begins anew, for those that ended late.
 */
function purgeJobs(work: Work, cut: Instant, limit: number): Slice {
  const { connection } = work;
  const position = positionOf(work, 'purge_jobs');
  const rows = connection.sql('jobs_from').all(cut, position, limit);
  const old = until(rows, (row) => Number(row['created_at']) > cut);
  const going = old.filter((row) => row['may_go'] === 1).map((row) => row['key']);
  if (going.length > 0) {
    keepPosition(work, 'last_n', lastNumber(connection));
    const keys = JSON.stringify(going);
    for (const name of [...BESIDE, 'facts']) connection.sql(`purge_${name}`).run(keys);
  }
  const hasMore = old.length === limit;
  const next = hasMore ? Number(old.at(-1)?.['key'] ?? 0) : 0;
  if (next !== position) keepPosition(work, 'purge_jobs', next);
  return { count: going.length, hasMore };
}

function until(rows: readonly Row[], isYoung: (row: Row) => boolean): readonly Row[] {
  const young = rows.findIndex(isYoung);
  return young === -1 ? rows : rows.slice(0, young);
}

/** Answers with whether there is more to look at. */
function purgeLog(work: Work, cut: Instant, limit: number): boolean {
  const { connection } = work;
  const position = positionOf(work, 'purge_log');
  const rows = connection.sql('entries_after').all(position, limit);
  const old = until(rows, (row) => Number(row['ts']) > cut);
  const going = old.filter((row) => row['is_needed'] === 0).map((row) => row['n']);
  if (going.length > 0) {
    keepPosition(work, 'last_n', lastNumber(connection));
    connection.sql('purge_log').run(JSON.stringify(going));
  }
  const hasMore = old.length === limit;
  const next = hasMore ? Number(old.at(-1)?.['n'] ?? 0) : 0;
  if (next !== position) keepPosition(work, 'purge_log', next);
  return hasMore;
}

function purgeNotes(work: Work, cut: Instant, limit: number): Slice {
  const { connection } = work;
  const rows = connection.sql('first_notes').all(limit);
  const old = until(rows, (row) => Number(row['ts']) > cut);
  if (old.length === 0) return NONE;
  keepPosition(work, 'last_n', lastNumber(connection));
  connection.sql('purge_notes').run(old.at(-1)!['n']!);
  return { count: old.length, hasMore: old.length === limit };
}

/**
 * Readers begin after what is as old as the cut, but for the last entry: one that waits at the end
 * of a quiet log keeps its place.
 */
function forgetTail(work: Work, cut: Instant, limit: number): Slice {
  const { connection } = work;
  const last = Number(connection.sql('last_entry').get()!['n'] ?? 0);
  const rows = connection.sql('times_from').all(positionOf(work, 'tail_from'), limit);
  const old = until(rows, (row) => Number(row['ts']) > cut || row['n'] === last);
  if (old.length === 0) return NONE;
  keepPosition(work, 'tail_from', Number(old.at(-1)!['n']) + 1);
  return { count: old.length, hasMore: old.length === limit };
}

function purgeKeys({ connection, now }: Work, cut: Instant, limit: number): Slice {
  const idempotency = Number(connection.sql('purge_idempotency_keys').run(cut, limit).changes);
  const unique = Number(connection.sql('purge_unique_keys').run(cut, limit).changes);
  connection.sql('purge_claims').run(now - CLAIM_KEPT_MS, limit);
  return { count: idempotency + unique, hasMore: idempotency === limit || unique === limit };
}
