import type { Instant } from '../core/clock.ts';
import type { PutOp, RecordKey, RecordKind, RecordStore, StoredRecord } from '../store/records.ts';
import { changeRecords } from './change.ts';

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

const FOLLOWER: RecordKind = { name: 'follower', keptIn: 'first' };
const FOLLOWERS_MAX = 10_000;

/** The lease and the times are the record's own. */
type Body = Pick<FollowerRecord, 'tenant' | 'position' | 'trouble' | 'resets' | 'resetAt'>;

function keyOf(name: string): RecordKey {
  return { kind: FOLLOWER, tenant: '', id: name };
}

function bodyOf({ body }: StoredRecord): Body {
  return JSON.parse(body) as Body;
}

function followerOf(record: StoredRecord): FollowerRecord {
  const { id: name, owner, leasedUntil, createdAt, updatedAt } = record;
  return { name, ...bodyOf(record), owner, leasedUntil, createdAt, updatedAt };
}

/** The repository of followers. */
export class Followers {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Takes a follower that is free, or whose owner's time is over, or keeps one's own. */
  take(wish: FollowerWish): Promise<FollowerTaken> {
    const { name, owner, leaseMs, tenant, start } = wish;
    return changeRecords<FollowerTaken>(this.#records, [keyOf(name)], ([found], now) => {
      if (found && isHeldByAnother(found, owner, now)) {
        return { ops: [], answer: (at) => ({ isTaken: false, record: followerOf(found), at }) };
      }
      const fresh: Body = { tenant, position: start, trouble: null, resets: 0, resetAt: null };
      const body = found ? bodyOf(found) : fresh;
      return {
        ops: [putOf(name, body, { expected: found ?? 'absent', lease: { owner, forMs: leaseMs } })],
        answer: (at) => {
          const times = { createdAt: found?.createdAt ?? at, updatedAt: at };
          const record = { name, ...body, owner, leasedUntil: at + leaseMs, ...times };
          return { isTaken: true, record, at };
        },
      };
    });
  }

  /** Null: it is another's by now, or stands elsewhere; nothing was written. */
  move(move: FollowerMove): Promise<FollowerRecord | null> {
    const { name, owner, from, leaseMs, change } = move;
    return changeRecords<FollowerRecord | null>(this.#records, [keyOf(name)], ([found], now) => {
      if (!found || found.owner !== owner || bodyOf(found).position !== from) {
        return { ops: [], answer: () => null };
      }
      const body = { ...bodyOf(found), ...changesOf(bodyOf(found), move, now) };
      const isLeft = change.kind === 'release';
      const lease = isLeft ? null : { owner, forMs: leaseMs };
      return {
        ops: [putOf(name, body, { expected: found, lease })],
        answer: (at) => ({
          name,
          ...body,
          owner: isLeft ? null : owner,
          leasedUntil: isLeft ? null : at + leaseMs,
          createdAt: found.createdAt,
          updatedAt: at,
        }),
      };
    });
  }

  /** In the order of names. */
  async list(): Promise<FollowerRecord[]> {
    const query = { kind: FOLLOWER, tenants: [''], limit: FOLLOWERS_MAX };
    return (await this.#records.list(query)).records.map(followerOf);
  }

  /** Forgets the place. False: there was none of that name. */
  remove(name: string): Promise<boolean> {
    const key = keyOf(name);
    return changeRecords<boolean>(this.#records, [key], ([found]) => ({
      ops: found ? [{ op: 'remove', ...key, expected: found }] : [],
      answer: () => Boolean(found),
    }));
  }
}

function putOf(name: string, body: Body, more: Pick<PutOp, 'expected' | 'lease'>): PutOp {
  return { op: 'put', ...keyOf(name), body: JSON.stringify(body), ...more };
}

function isHeldByAnother(found: StoredRecord, owner: string, now: Instant): boolean {
  const { owner: holder, leasedUntil } = found;
  return holder !== null && holder !== owner && leasedUntil !== null && now < leasedUntil;
}

function changesOf(before: Body, { from, change }: FollowerMove, now: Instant): Partial<Body> {
  switch (change.kind) {
    case 'release':
      return {};
    case 'advance':
      return { position: change.to, trouble: null };
    case 'reset':
      return { position: change.to, resets: before.resets + 1, resetAt: now };
    case 'fail': {
      const { failures = 0, since = now } =
        before.trouble !== null && change.to === from ? before.trouble : {};
      const retryAt = now + change.retryInMs;
      const trouble = { failures: failures + 1, error: change.error, since, retryAt };
      return { position: change.to, trouble };
    }
  }
}
