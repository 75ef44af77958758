import type { Instant } from '../../core/clock.ts';
import {
  type FollowerMove,
  type FollowerRecord,
  type FollowerTaken,
  type FollowerWish,
  movedFollower,
  takenFollower,
} from '../cursor.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

const READ = 'SELECT * FROM followers WHERE name = ?';
const LIST = 'SELECT * FROM followers ORDER BY name';
const PUT = 'REPLACE INTO followers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const REMOVE = 'DELETE FROM followers WHERE name = ?';

export function takeFollower(work: Work, wish: FollowerWish): FollowerTaken {
  const before = find(work, wish.name);
  const record = takenFollower(before, wish, work.now);
  if (record === null) return { isTaken: false, record: before!, at: work.now };
  put(work, record);
  return { isTaken: true, record, at: work.now };
}

export function moveFollower(work: Work, move: FollowerMove): FollowerRecord | null {
  const record = movedFollower(find(work, move.name), move, work.now);
  if (record !== null) put(work, record);
  return record;
}

export function listFollowers({ connection }: Work): FollowerRecord[] {
  return connection.sql(LIST).all().map(followerOfRow);
}

export function removeFollower({ connection }: Work, name: string): boolean {
  return connection.sql(REMOVE).run(name).changes > 0;
}

function find({ connection }: Work, name: string): FollowerRecord | null {
  const row = connection.sql(READ).get(name);
  return row === undefined ? null : followerOfRow(row);
}

function put({ connection }: Work, record: FollowerRecord): void {
  const { trouble } = record;
  connection
    .sql(PUT)
    .run(
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
    );
}

function followerOfRow(row: Row): FollowerRecord {
  const failures = row['failures'] as number;
  const trouble = {
    failures,
    error: row['last_error'] as string,
    since: row['failing_since'] as Instant,
    retryAt: row['retry_at'] as Instant,
  };
  return {
    name: row['name'] as string,
    tenant: row['tenant'] as string | null,
    position: row['position'] as string | null,
    owner: row['owner'] as string | null,
    leasedUntil: row['leased_until'] as Instant | null,
    trouble: failures === 0 ? null : trouble,
    resets: row['resets'] as number,
    resetAt: row['reset_at'] as Instant | null,
    createdAt: row['created_at'] as Instant,
    updatedAt: row['updated_at'] as Instant,
  };
}
