import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';

/**
 * A kind of record. Tags are indexed texts that `list` and `count` can filter by equality. Stores
 * keep them by position: a later release may append a tag, but must not reorder or remove one.
 */
export interface RecordKind {
  readonly name: string;
  readonly tags?: readonly string[];
  /**
   * Of several databases: `first` for what is counted over all tenants, whoever's it is; `beside`
   * for what belongs to no tenant and is written with a tenant's records, so that it is looked for
   * in all. Default: a tenant's where it lives, the platform's own in the first.
   */
  readonly keptIn?: 'first' | 'beside';
  /** The maximum size of a body in UTF-8. Default: BODY_BYTES_MAX. */
  readonly bytesMax?: number;
}

export const TAGS_MAX = 4;
export const BODY_BYTES_MAX = 1_048_576;

/** Identifies a record. The tenant is '' for records of the platform itself. */
export interface RecordKey {
  readonly kind: RecordKind;
  readonly tenant: string;
  readonly id: string;
}

/** A stored record. All times come from the database's clock. */
export interface StoredRecord {
  /** The name of its kind. */
  readonly kind: string;
  readonly tenant: string;
  readonly id: string;
  /** 1 when created, incremented by every write. */
  readonly version: number;
  /** Opaque to the store, except to `add`. */
  readonly body: JsonText;
  readonly tags: Readonly<Record<string, string>>;
  /** Indexed: `list` can ask for due records. */
  readonly dueAt: Instant | null;
  /** The job that the record belongs to. Indexed. */
  readonly jobId: string | null;
  /** The lease's owner and its end; an expired owner is still named. */
  readonly owner: string | null;
  readonly leasedUntil: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/**
 * The condition of a write: no such record, or one at this version. Versions restart at 1 when a
 * record is removed and created again, so `createdAt` tells the two apart.
 */
export type Expected =
  | 'absent'
  | { readonly version: number; readonly createdAt?: Instant | undefined };

/** When a record is due: at an instant, or relative to the database's now. Default: never. */
export interface Due {
  readonly dueAt?: Instant | null | undefined;
  readonly dueInMs?: number | undefined;
}

/**
 * Creates or replaces a record; its lease is kept unless `lease` is given. `lease` takes or extends
 * the lease if it is free, expired (now >= leasedUntil) or already held by `owner`, else the op is
 * refused; null releases it.
 */
export interface PutOp extends RecordKey, Due {
  readonly op: 'put';
  readonly body: JsonText;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly jobId?: string | null | undefined;
  /** Default: no condition. */
  readonly expected?: Expected | undefined;
  readonly lease?: { readonly owner: string; readonly forMs: number } | null | undefined;
  /** In an insert: written only if the job at this index was created. Conditions always apply. */
  readonly ifCreated?: number | undefined;
}

/** Removes a record. A missing record is not an error unless `expected` is given. */
export interface RemoveOp extends RecordKey {
  readonly op: 'remove';
  readonly expected?: Exclude<Expected, 'absent'> | undefined;
}

/**
 * Adds integers to members of a body, which must be a flat object of integers. Creates the record
 * if it is missing (only then is the due time set). Refused if a sum would exceed its `max`.
 */
export interface AddOp extends RecordKey, Due {
  readonly op: 'add';
  readonly members: Readonly<Record<string, number>>;
  readonly max?: Readonly<Record<string, number>> | undefined;
}

/**
 * Writes nothing; refuses the whole write unless this owner holds the job's lease now and, with
 * `isUncancelled`, no cancel wish is pending. The job cannot change until the write is over.
 */
export interface FenceOp {
  readonly op: 'fence';
  readonly tenant: string;
  readonly jobId: string;
  readonly owner: string;
  readonly epoch: number;
  /** The claim's: where it is shown, it must match. */
  readonly token?: string | undefined;
  readonly isUncancelled?: true;
}

export type RecordOp = PutOp | RemoveOp | AddOp | FenceOp;

/**
 * `exists`: the record was expected to be absent. `missing`: it does not exist. `version`: it has
 * another version, or was created anew. `leased`: another owner holds it. `full`: a sum would
 * exceed its `max`. `fenced`: the owner does not hold the job.
 */
export type RefusalReason = 'exists' | 'missing' | 'version' | 'leased' | 'full' | 'fenced';

/** The first op whose condition failed, with the record found there. Nothing was written. */
export interface Refusal {
  readonly kind: 'refused';
  readonly at: Instant;
  readonly index: number;
  readonly reason: RefusalReason;
  readonly found: StoredRecord | null;
}

/** `versions`: of each op's record after the write; null for removals and fences. */
export type WriteOutcome =
  | {
      readonly kind: 'written';
      readonly at: Instant;
      readonly versions: readonly (number | null)[];
    }
  | Refusal;

/** A filter; all given conditions must hold. */
export interface RecordMatch {
  readonly kind: RecordKind;
  /** Null: of every tenant. */
  readonly tenants: readonly string[] | null;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface RecordQuery extends RecordMatch {
  readonly limit: number;
  readonly jobId?: string | undefined;
  /** Exclusive bounds of the id, compared by UTF-8 bytes. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** Only records with a due time in this range, both ends inclusive. */
  readonly due?:
    | { readonly from?: Instant | undefined; readonly to?: Instant | 'now' | undefined }
    | undefined;
  /** By id (then tenant), or by due time. Default: ascending. */
  readonly order?: 'ascending' | 'descending' | 'due' | undefined;
}

/** The number of records with this value of a tag. */
export interface TagCount {
  readonly value: string;
  readonly count: number;
}

/**
 * The records half of the port: everything that is stored beside jobs. Answers include `at`, the
 * database's time of the read.
 */
export interface RecordStore {
  /** In the order of the keys; null for a missing record. */
  read(
    keys: readonly RecordKey[],
  ): Promise<{ readonly at: Instant; readonly records: readonly (StoredRecord | null)[] }>;
  list(
    query: RecordQuery,
  ): Promise<{ readonly at: Instant; readonly records: readonly StoredRecord[] }>;
  /** Counts records by the value of a tag; records without that tag are not counted. */
  count(match: RecordMatch, by: string): Promise<readonly TagCount[]>;
  /** Performs the ops in order in one transaction: all or nothing. */
  write(ops: readonly RecordOp[]): Promise<WriteOutcome>;
}

/** A placeholder in a body of an insert's op: replaced by the outcome of the job at this index. */
export function outcomeMark(index: number): { readonly $outcome: number } {
  return { $outcome: index };
}
