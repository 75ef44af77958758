import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';

/**
 * What records of one kind have in common. Tags are texts that lists and counts can ask for by
 * equality, at most TAGS_MAX of them; a later release may add one at the end, and must not change
 * the order of those that are there.
 */
export interface RecordKind {
  readonly name: string;
  readonly tags?: readonly string[];
  /** The most that a body may weigh in UTF-8; default: BODY_BYTES_MAX. */
  readonly bytesMax?: number;
}

export const TAGS_MAX = 4;
export const BODY_BYTES_MAX = 1_048_576;

/** Names a record. The tenant is '' for what belongs to the platform and to no tenant. */
export interface RecordKey {
  readonly kind: RecordKind;
  readonly tenant: string;
  readonly id: string;
}

/** A record as it is stored; all its times are the database's. */
export interface StoredRecord {
  /** The name of its kind. */
  readonly kind: string;
  readonly tenant: string;
  readonly id: string;
  /** 1 when it is made, and 1 more with each write. */
  readonly version: number;
  /** The store does not look inside, but for `add`. */
  readonly body: JsonText;
  readonly tags: Readonly<Record<string, string>>;
  /** What lists of due records go by. */
  readonly dueAt: Instant | null;
  /** The job that it belongs to. */
  readonly jobId: string | null;
  /** Who holds it, until then; an owner whose time has passed is still named. */
  readonly owner: string | null;
  readonly leasedUntil: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/**
 * What must be there: nothing, or a record at this version. A record that was removed and made
 * again begins at version 1 again, so `createdAt` tells it from the one that was read.
 */
export type Expected =
  | 'absent'
  | { readonly version: number; readonly createdAt?: Instant | undefined };

/** When a record is due: at a time, or so long after the database's now. Left out: never. */
export interface Due {
  readonly dueAt?: Instant | null | undefined;
  readonly dueInMs?: number | undefined;
}

/**
 * Makes a record or replaces it, but for its lease. With `lease`, only where nobody holds it, the
 * holder's time has passed (from its very millisecond on) or the holder is `owner`; null gives the
 * lease up, left out it stays as it is.
 */
export interface PutOp extends RecordKey, Due {
  readonly op: 'put';
  readonly body: JsonText;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly jobId?: string | null | undefined;
  /** Left out: whatever is there. */
  readonly expected?: Expected | undefined;
  readonly lease?: { readonly owner: string; readonly forMs: number } | null | undefined;
  /** With an insert: only if the job of this index was created. The conditions hold anyhow. */
  readonly ifCreated?: number | undefined;
}

/** Takes a record away; one that is not there is none to take, unless it was expected. */
export interface RemoveOp extends RecordKey {
  readonly op: 'remove';
  readonly expected?: Exclude<Expected, 'absent'> | undefined;
}

/**
 * Adds whole numbers to members of a body that is an object of whole numbers. A record that is not
 * there is made, due as given; one that is there stays due as it is. Refused where a sum would be
 * above its `max`.
 */
export interface AddOp extends RecordKey, Due {
  readonly op: 'add';
  readonly members: Readonly<Record<string, number>>;
  readonly max?: Readonly<Record<string, number>> | undefined;
}

/** Writes nothing: refuses the rest unless this owner holds the job at this moment. */
export interface FenceOp {
  readonly op: 'fence';
  readonly tenant: string;
  readonly jobId: string;
  readonly owner: string;
  readonly epoch: number;
}

export type RecordOp = PutOp | RemoveOp | AddOp | FenceOp;

/**
 * `exists`: it was to be absent. `missing`: it is not there. `version`: it is another version, or
 * another record of that name. `leased`: somebody else holds it. `full`: above the `max` of an
 * `add`. `fenced`: the owner does not hold the job.
 */
export type RefusalReason = 'exists' | 'missing' | 'version' | 'leased' | 'full' | 'fenced';

/** The first op whose condition does not hold, and what was found there. Nothing was written. */
export interface Refusal {
  readonly kind: 'refused';
  readonly at: Instant;
  readonly index: number;
  readonly reason: RefusalReason;
  readonly found: StoredRecord | null;
}

/** `versions`: of each op's record afterwards; null where there is none. */
export type WriteOutcome =
  | {
      readonly kind: 'written';
      readonly at: Instant;
      readonly versions: readonly (number | null)[];
    }
  | Refusal;

/** What records are asked for; all that is given must hold. */
export interface RecordMatch {
  readonly kind: RecordKind;
  /** Null: of every tenant. */
  readonly tenants: readonly string[] | null;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface RecordQuery extends RecordMatch {
  readonly limit: number;
  readonly jobId?: string | undefined;
  /** Only ids after, or before, this one, by their UTF-8 bytes. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** Only what is due from this time on (inclusive) and up to that one, or up to now. */
  readonly due?:
    | { readonly from?: Instant | undefined; readonly to?: Instant | 'now' | undefined }
    | undefined;
  /** By id, and for one id by tenant; or by the time at which they are due. Default: ascending. */
  readonly order?: 'ascending' | 'descending' | 'due' | undefined;
}

/** How many records have a tag of this value. */
export interface TagCount {
  readonly value: string;
  readonly count: number;
}

/**
 * The records half of the port: whatever is kept that no hot verb reads. Reads answer with the
 * database's time `at` that they are of.
 */
export interface RecordStore {
  /** In the order of the keys; null for one that is not there. */
  read(
    keys: readonly RecordKey[],
  ): Promise<{ readonly at: Instant; readonly records: readonly (StoredRecord | null)[] }>;
  list(
    query: RecordQuery,
  ): Promise<{ readonly at: Instant; readonly records: readonly StoredRecord[] }>;
  /** How many there are by the value of one of their tags, those without it left out. */
  count(match: RecordMatch, by: string): Promise<readonly TagCount[]>;
  /** One transaction, all or nothing, one op after the other: each sees what those before wrote. */
  write(ops: readonly RecordOp[]): Promise<WriteOutcome>;
}

/** Where this stands in the body of an op of an insert, there will be what became of that job. */
export function outcomeMark(index: number): { readonly $outcome: number } {
  return { $outcome: index };
}
