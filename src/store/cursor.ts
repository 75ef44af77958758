import type { Instant } from '../core/clock.ts';

/** What keeps a follower where it is: its failures in a row, and when it is tried again. */
export interface FollowerTrouble {
  readonly failures: number;
  readonly error: string;
  readonly since: Instant;
  readonly retryAt: Instant;
}

/**
 * A follower of the log, by its name: where it stands, who moves it on and how it fares. It belongs
 * to the platform and to no tenant, so its name alone is the key.
 */
export interface FollowerRecord {
  readonly name: string;
  /** Whose events it follows; null for everyone's. */
  readonly tenant: string | null;
  /** The tail's cursor to go on from, which names its log; null is the start of what is kept. */
  readonly position: string | null;
  /** Who may move it on, until then by the database's clock. */
  readonly owner: string | null;
  readonly leasedUntil: Instant | null;
  readonly trouble: FollowerTrouble | null;
  /** How often it lost its place, to a restore or to retention, and when it last did. */
  readonly resets: number;
  readonly resetAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Who wants to move a follower on, and how it begins if there is none of that name. */
export interface FollowerWish {
  readonly name: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly tenant: string | null;
  readonly start: string | null;
}

/** `isTaken` false: another holds it until `record.leasedUntil`. `at`: the database's time. */
export interface FollowerTaken {
  readonly isTaken: boolean;
  readonly record: FollowerRecord;
  readonly at: Instant;
}

/**
 * What happened to a follower.
 * - `advance`: it handled everything up to `to`; trouble is over.
 * - `fail`: what follows `to` could not be handled and is tried again after a while.
 * - `reset`: its place was lost, it goes on from `to`.
 * - `release`: it stays where it is and anyone may take it.
 */
export type FollowerChange =
  | { readonly kind: 'advance' | 'reset'; readonly to: string | null }
  | {
      readonly kind: 'fail';
      readonly to: string | null;
      readonly error: string;
      readonly retryInMs: number;
    }
  | { readonly kind: 'release' };

/**
 * A write of the owner, who keeps the follower for `leaseMs` more. `from` is where the owner
 * believes it to stand: only then, and only while nobody else has taken it, is anything written.
 */
export interface FollowerMove {
  readonly name: string;
  readonly owner: string;
  readonly from: string | null;
  readonly leaseMs: number;
  readonly change: FollowerChange;
}

/** The durable places of followers: apart, since no job depends on them. */
export interface FollowerStore {
  /** Takes a follower that is free, or whose owner's time is over, or keeps one's own. */
  takeFollower(wish: FollowerWish): Promise<FollowerTaken>;
  /** Null: it is another's by now, or stands elsewhere; nothing was written. */
  moveFollower(move: FollowerMove): Promise<FollowerRecord | null>;
  /** In the order of names. */
  listFollowers(): Promise<FollowerRecord[]>;
  /** Forgets the place. False: there was none of that name. */
  removeFollower(name: string): Promise<boolean>;
}

/** The follower as a wish leaves it; null where another owner holds it. */
export function takenFollower(
  before: FollowerRecord | null,
  wish: FollowerWish,
  now: Instant,
): FollowerRecord | null {
  const { name, owner, leaseMs, tenant, start } = wish;
  const lease = { owner, leasedUntil: now + leaseMs, updatedAt: now };
  if (before === null) {
    const fresh = { position: start, trouble: null, resets: 0, resetAt: null, createdAt: now };
    return { name, tenant, ...fresh, ...lease };
  }
  const isFree = before.leasedUntil === null || before.leasedUntil <= now;
  return isFree || before.owner === owner ? { ...before, ...lease } : null;
}

/** The follower as a move leaves it; null where it does not fit. */
export function movedFollower(
  before: FollowerRecord | null,
  move: FollowerMove,
  now: Instant,
): FollowerRecord | null {
  if (before === null || before.owner !== move.owner || before.position !== move.from) return null;
  const kept = { ...before, leasedUntil: now + move.leaseMs, updatedAt: now };
  const { change } = move;
  switch (change.kind) {
    case 'advance':
      return { ...kept, position: change.to, trouble: null };
    case 'reset':
      return { ...kept, position: change.to, resets: before.resets + 1, resetAt: now };
    case 'release':
      return { ...kept, owner: null, leasedUntil: null };
    case 'fail': {
      const { failures = 0, since = now } =
        before.trouble !== null && change.to === move.from ? before.trouble : {};
      const retryAt = now + change.retryInMs;
      const trouble = { failures: failures + 1, error: change.error, since, retryAt };
      return { ...kept, position: change.to, trouble };
    }
  }
}
