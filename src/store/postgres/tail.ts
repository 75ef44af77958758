import type { TailItem, TailPage, TailQuery } from '../query.ts';
import type { Database } from './pool.ts';
import type { Session } from './session.ts';
import { type Entry, type Position, readEntries } from './tail-entries.ts';

interface LogRow {
  readonly incarnation: string;
  readonly horizon: string;
  readonly next: string;
}

interface FeedRow {
  /** Null where the feed has no more rows: then there is this one for the floor. */
  readonly xid: string | null;
  readonly floor_xid: string | null;
  readonly floor_n: number | null;
  readonly n: number;
  readonly day: string;
  readonly tenants: string;
  readonly jobs: string;
  readonly versions: string;
  readonly notes: string | null;
}

const FEED_ROWS_MAX = 256;

/**
 * Reads transactions in the order of their xids, up to the first that may still be under way: what
 * commits late has a late place, so nothing is skipped and nothing comes twice.
 */
export async function readTail(session: Session, query: TailQuery): Promise<TailPage> {
  const [log] = await session.database.read<LogRow>(
    'SELECT incarnation, horizon::text, next::text FROM pawl.log_v1()',
  );
  const { incarnation } = log!;
  const end: Position = { xid: BigInt(log!.horizon), n: 0, index: 0 };
  const start = positionOf(query.from, { incarnation, end, next: BigInt(log!.next) });
  const cursorAt = ({ xid, n, index }: Position): string => `${incarnation}.${xid}.${n}.${index}`;
  if (start === null) return { items: [], cursor: cursorAt(end), isReset: true };
  const tenant = await tenantOf(session, query.tenant);
  const items: TailItem[] = [];
  let at = start;
  while (items.length < query.limit && at.xid < end.xid) {
    const wanted = query.limit - items.length;
    const read = await readFeed(session, at, { end, wanted, tenant, incarnation });
    if (read === null) return { items: [], cursor: cursorAt(end), isReset: true };
    const { entries, reached } = read;
    const found = await readEntries(session, entries);
    items.push(...found.map(({ position, item }) => ({ ...item, cursor: cursorAt(position) })));
    at = reached;
  }
  return { items, cursor: cursorAt(at), isReset: false };
}

/** The name of this log. */
export async function readIncarnation(session: Session): Promise<string> {
  const [log] = await session.database.read<LogRow>('SELECT incarnation FROM pawl.log_v1()');
  return log!.incarnation;
}

/** After a restore into another cluster, xids of the old one would hide new rows behind them. */
export async function mendFeed(database: Database): Promise<void> {
  await database.write(
    `UPDATE pawl.feed SET xid = '3' WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())`,
  );
}

/** Undefined asks for every tenant; null is one that has no jobs. */
async function tenantOf(session: Session, name: string | null): Promise<number | null | undefined> {
  if (name === null) return undefined;
  const [id] = await session.names.findTenants([name]);
  return id ?? null;
}

/** Null: the cursor is of another log, or of a future that this one has not had. */
function positionOf(
  from: TailQuery['from'],
  log: { incarnation: string; end: Position; next: bigint },
): Position | null {
  if (from === 'start') return { xid: 0n, n: 0, index: 0 };
  if (from === 'end') return log.end;
  const [, incarnation, xid, n, index] = /^(\w+)\.(\d+)\.(\d+)\.(\d+)$/.exec(from.cursor) ?? [];
  if (incarnation !== log.incarnation) return null;
  const position = { xid: BigInt(xid!), n: Number(n), index: Number(index) };
  return position.xid > log.next ? null : position;
}

/** The floor is read with the rows, so that no purge can come between. */
const FEED = `SELECT f.*, r.floor_xid::text, r.floor_n FROM (
    SELECT max(floor_xid::text) AS floor_xid, max(floor_n) AS floor_n FROM pawl.retention
    WHERE floor_log = $5) r
  LEFT JOIN pawl.feed_v1($1, $2, $3, $4) f ON true`;

interface Reading {
  readonly end: Position;
  readonly wanted: number;
  readonly tenant: number | null | undefined;
  readonly incarnation: string;
}

/** Null: retention has taken what comes next. */
async function readFeed(
  session: Session,
  from: Position,
  { end, wanted, tenant, incarnation }: Reading,
): Promise<{ entries: Entry[]; reached: Position } | null> {
  // One more than wanted: the first row may be the one that was read to its end.
  const limit = Math.min(wanted, FEED_ROWS_MAX) + 1;
  const read = await session.database.read<FeedRow>(FEED, [
    String(from.xid),
    from.n,
    String(end.xid),
    limit,
    incarnation,
  ]);
  if (isBelowFloor(from, read[0]!)) return null;
  const rows = read.filter(({ xid }) => xid !== null);
  const all = rows.flatMap(entriesOf).filter(({ position }) => isAfter(position, from));
  const matching = all.filter((entry) => tenant === undefined || entry.tenant === tenant);
  const entries = matching.slice(0, wanted);
  if (matching.length >= wanted) return { entries, reached: entries.at(-1)!.position };
  return { entries, reached: rows.length < limit ? end : (all.at(-1)?.position ?? end) };
}

/** The start is below every floor, and never loses anything. */
function isBelowFloor({ xid, n }: Position, { floor_xid, floor_n }: FeedRow): boolean {
  if (floor_xid === null || xid === 0n) return false;
  return xid === BigInt(floor_xid) ? n <= floor_n! : xid < BigInt(floor_xid);
}

function isAfter(one: Position, other: Position): boolean {
  if (one.xid !== other.xid) return one.xid > other.xid;
  return one.n === other.n ? one.index > other.index : one.n > other.n;
}

function entriesOf({ xid, n, day, ...row }: FeedRow): Entry[] {
  const tenants = JSON.parse(row.tenants) as number[];
  const jobs = JSON.parse(row.jobs) as string[];
  const versions = JSON.parse(row.versions) as number[];
  const notes = row.notes === null ? null : (JSON.parse(row.notes) as number[]);
  return jobs.map((job, index) => ({
    position: { xid: BigInt(xid!), n, index: index + 1 },
    day,
    tenant: tenants[index]!,
    job,
    version: versions[index]!,
    note: notes?.[index] ?? 0,
  }));
}
