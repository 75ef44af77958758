import type { Instant } from '../../core/clock.ts';
import { TERMINAL_RANK_MIN } from '../../core/phase.ts';
import type { Purge, Purged } from '../retention.ts';
import type { Connection } from './connection.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

/** What one slice of a kind came to. */
interface Slice {
  readonly count: number;
  readonly hasMore: boolean;
}

const NONE: Slice = { count: 0, hasMore: false };

export function purge({ connection }: Work, cuts: Purge): Purged {
  const { limit } = cuts;
  const slices = {
    jobs: purgeJobs(connection, cuts.jobs, limit),
    notes: purgeNotes(connection, cuts.notes, limit),
    feed: purgeFeed(connection, cuts, limit),
    keys: purgeKeys(connection, cuts.keys, limit),
  };
  return {
    jobs: slices.jobs.count,
    notes: slices.notes.count,
    feed: slices.feed.count,
    keys: slices.keys.count,
    days: 0,
    hasMore: Object.values(slices).some(({ hasMore }) => hasMore),
  };
}

const POSITION = 'SELECT value FROM meta WHERE name = ?';
const KEEP_POSITION = `INSERT INTO meta VALUES (?, ?)
  ON CONFLICT DO UPDATE SET value = excluded.value`;

function positionOf(connection: Connection, name: string): number {
  return Number(connection.sql(POSITION).get(name)?.['value'] ?? 0);
}

function keepPosition(connection: Connection, name: string, position: number): void {
  connection.sql(KEEP_POSITION).run(name, String(position));
}

const JOBS_FROM = `SELECT seq, created_at, phase >= ${TERMINAL_RANK_MIN} AND completed_at <= ?
  AS may_go FROM jobs WHERE seq > ? ORDER BY seq LIMIT ?`;

/**
 * Goes over the jobs in the order of their birth, up to the first that was born after the cut and
 * so cannot have ended before it. Then it begins anew, for those that ended late.
 */
function purgeJobs(connection: Connection, cut: Instant | null, limit: number): Slice {
  if (cut === null) return NONE;
  const position = positionOf(connection, 'purge_jobs');
  const rows = connection.sql(JOBS_FROM).all(cut, position, limit);
  const young = rows.findIndex((row) => Number(row['created_at']) > cut);
  const old = young === -1 ? rows : rows.slice(0, young);
  const going = old.filter((row) => row['may_go'] === 1);
  const remove = connection.sql('DELETE FROM jobs WHERE seq = ?');
  for (const row of going) remove.run(row['seq']!);
  const hasMore = old.length === limit && limit > 0;
  const next = hasMore ? Number(old.at(-1)!['seq']) : 0;
  if (next !== position) keepPosition(connection, 'purge_jobs', next);
  return { count: going.length, hasMore };
}

const LINES_FROM = 'SELECT seq, at, refs FROM feed WHERE seq > ? ORDER BY seq LIMIT ?';
const NUMBERS_PER_REF = 3;

/** Lines of the feed up to the first that is younger: a feed must go without leaving holes. */
function linesFrom(
  connection: Connection,
  position: number,
  at: { cut: Instant; limit: number },
): Row[] {
  const rows = connection.sql(LINES_FROM).all(position, at.limit);
  const young = rows.findIndex((row) => Number(row['at']) > at.cut);
  return young === -1 ? rows : rows.slice(0, young);
}

/** The feed names the notes in the order of their writing, which spares them an index. */
function purgeNotes(connection: Connection, cut: Instant | null, limit: number): Slice {
  if (cut === null) return NONE;
  const position = positionOf(connection, 'purge_notes');
  const lines = linesFrom(connection, position, { cut, limit });
  const remove = connection.sql('DELETE FROM notes WHERE job_seq = ? AND version = ? AND n = ?');
  let count = 0;
  for (const line of lines) {
    const refs = String(line['refs']).split(',').map(Number);
    for (let at = 0; at < refs.length; at += NUMBERS_PER_REF) {
      const [seq, version, note] = refs.slice(at, at + NUMBERS_PER_REF) as [number, number, number];
      if (note > 0) count += Number(remove.run(seq, version, note).changes);
    }
  }
  if (lines.length > 0) keepPosition(connection, 'purge_notes', Number(lines.at(-1)!['seq']));
  return { count, hasMore: lines.length === limit && limit > 0 };
}

const PURGE_FEED = `DELETE FROM feed WHERE seq <= ? AND seq <= ?
  AND seq < (SELECT max(seq) FROM feed)`;

/** A line that still has to name its notes stays. */
function purgeFeed(connection: Connection, { feed, notes }: Purge, limit: number): Slice {
  if (feed === null) return NONE;
  const last = notes === null ? Number.MAX_SAFE_INTEGER : positionOf(connection, 'purge_notes');
  const old = Number(linesFrom(connection, 0, { cut: feed, limit }).at(-1)?.['seq'] ?? 0);
  const count = Number(connection.sql(PURGE_FEED).run(last, old).changes);
  return { count, hasMore: count === limit && limit > 0 };
}

const PURGE_IDEMPOTENCY = `DELETE FROM idempotency WHERE (tenant_id, key) IN (
  SELECT tenant_id, key FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/** A key whose job can still be joined has a say beyond its window. */
const PURGE_UNIQUE = `DELETE FROM unique_keys WHERE (tenant_id, type, mode, key) IN (
  SELECT u.tenant_id, u.type, u.mode, u.key FROM unique_keys u WHERE u.until <= ?
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.tenant_id = u.tenant_id AND j.id = u.job_id
      AND j.epoch = 1 AND j.phase IN (0, 1))
  ORDER BY u.until LIMIT ?)`;

function purgeKeys(connection: Connection, cut: Instant | null, limit: number): Slice {
  if (cut === null) return NONE;
  const idempotency = Number(connection.sql(PURGE_IDEMPOTENCY).run(cut, limit).changes);
  const unique = Number(connection.sql(PURGE_UNIQUE).run(cut, limit).changes);
  const hasMore = limit > 0 && (idempotency === limit || unique === limit);
  return { count: idempotency + unique, hasMore };
}
