import type { Instant } from '../../core/clock.ts';
import {
  type FollowerMove,
  type FollowerRecord,
  type FollowerStore,
  type FollowerTaken,
  type FollowerWish,
  movedFollower,
  takenFollower,
} from '../cursor.ts';
import type { Query } from './pool.ts';
import type { Session } from './session.ts';
import { fromMs, NOW, toMs } from './sql-text.ts';

interface FollowerRow {
  readonly name: string;
  readonly tenant: string | null;
  readonly position: string | null;
  readonly owner: string | null;
  readonly leased_until: Instant | null;
  readonly failures: number;
  readonly last_error: string;
  readonly failing_since: Instant;
  readonly retry_at: Instant;
  readonly resets: number;
  readonly reset_at: Instant | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

const TIMES = ['leased_until', 'failing_since', 'retry_at', 'reset_at', 'created_at', 'updated_at'];

const COLUMNS = `name, tenant, position, owner, failures, last_error, resets,
  ${TIMES.map((column) => `${toMs(column)} AS ${column}`).join(', ')}`;

const LIST = `SELECT ${COLUMNS} FROM pawl.followers ORDER BY name`;

const PUT = `INSERT INTO pawl.followers VALUES ($1, $2, $3, $4, ${fromMs('$5::int8')}, $6, $7,
    ${fromMs('$8::int8')}, ${fromMs('$9::int8')}, $10, ${fromMs('$11::int8')},
    ${fromMs('$12::int8')}, ${fromMs('$13::int8')})
  ON CONFLICT (name) DO UPDATE SET position = excluded.position, owner = excluded.owner,
    leased_until = excluded.leased_until, failures = excluded.failures,
    last_error = excluded.last_error, failing_since = excluded.failing_since,
    retry_at = excluded.retry_at, resets = excluded.resets, reset_at = excluded.reset_at,
    updated_at = excluded.updated_at`;

/** Also where there is no row yet to be locked. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, hashtext('pawl.followers')))`;

export function followersOn(session: Session): FollowerStore {
  return {
    takeFollower: (wish) => takeFollower(session, wish),
    moveFollower: (move) => moveFollower(session, move),
    listFollowers: async () => (await session.database.read<FollowerRow>(LIST)).map(recordOf),
    removeFollower: async (name) => {
      const sql = 'DELETE FROM pawl.followers WHERE name = $1 RETURNING name';
      return (await session.database.write(sql, [name])).length > 0;
    },
  };
}

/** A follower alone with whoever changes it, and the time by which its lease is judged. */
interface Held {
  readonly before: FollowerRecord | null;
  readonly now: Instant;
  readonly put: (record: FollowerRecord) => Promise<void>;
}

function takeFollower(session: Session, wish: FollowerWish): Promise<FollowerTaken> {
  return hold(session, wish.name, async ({ before, now, put }) => {
    const record = takenFollower(before, wish, now);
    if (record === null) return { isTaken: false, record: before!, at: now };
    await put(record);
    return { isTaken: true, record, at: now };
  });
}

function moveFollower(session: Session, move: FollowerMove): Promise<FollowerRecord | null> {
  return hold(session, move.name, async ({ before, now, put }) => {
    const record = movedFollower(before, move, now);
    if (record !== null) await put(record);
    return record;
  });
}

function hold<Answer>(
  session: Session,
  name: string,
  body: (held: Held) => Promise<Answer>,
): Promise<Answer> {
  return session.database.transact(async (query) => {
    await query(LOCK, [name]);
    const [time] = await query<{ now: Instant }>(
      `SELECT ${toMs(NOW.replace('p_now', '$1'))} AS now`,
      [session.now()],
    );
    const sql = `SELECT ${COLUMNS} FROM pawl.followers WHERE name = $1`;
    const [row] = await query<FollowerRow>(sql, [name]);
    const before = row === undefined ? null : recordOf(row);
    return body({ before, now: time!.now, put: (record) => put(query, record) });
  });
}

async function put(query: Query, record: FollowerRecord): Promise<void> {
  const { trouble } = record;
  await query(PUT, [
    record.name,
    record.tenant,
    record.position,
    record.owner,
    record.leasedUntil,
    trouble?.failures ?? 0,
    trouble?.error ?? null,
    trouble?.since ?? null,
    trouble?.retryAt ?? null,
    record.resets,
    record.resetAt,
    record.createdAt,
    record.updatedAt,
  ]);
}

function recordOf(row: FollowerRow): FollowerRecord {
  const trouble = {
    failures: row.failures,
    error: row.last_error,
    since: row.failing_since,
    retryAt: row.retry_at,
  };
  return {
    name: row.name,
    tenant: row.tenant,
    position: row.position,
    owner: row.owner,
    leasedUntil: row.leased_until,
    trouble: row.failures === 0 ? null : trouble,
    resets: row.resets,
    resetAt: row.reset_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
