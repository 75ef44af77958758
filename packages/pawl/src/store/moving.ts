/** How a tenant stands in one database. */
export interface TenantStanding {
  /** Rises with each of its moves; whoever has the higher one has the tenant. */
  readonly generation: number;
  /** The database that it left this one for; null: it has not left. */
  readonly leftFor: string | null;
}

/** A job with its history, or what a tenant has beside jobs: for stores of the same kind alone. */
export type MovedPart = string;

export interface PackedJobs {
  readonly parts: readonly MovedPart[];
  readonly jobs: number;
  /** The id to go on after; null: these were the last. */
  readonly next: string | null;
}

export interface Departure {
  /** The database that the tenant goes to. */
  readonly to: string;
  /** Its generation there. */
  readonly generation: number;
  /** What the log said after this mark goes along; what it said before was packed already. */
  readonly since: number;
}

/** What left with a tenant. */
export interface Departed {
  readonly live: number;
  /** Ended jobs of which something was written after the mark. */
  readonly ended: number;
  readonly records: number;
}

/**
 * What a database does when a tenant moves from it or to it. In this order: the new one expects the
 * tenant, the old one packs what has ended and the new one takes it, the tenant departs (from here
 * on the old one refuses its writes), the new one takes what left with it and lets it in, and the
 * old one drops what left. Each step can be repeated.
 */
export interface MovingStore {
  /** They are understood by stores of the same kind. */
  readonly kind: string;
  standing(tenant: string): Promise<TenantStanding>;
  /**
   * Prepares for a tenant that will have this generation; what an earlier stay has left goes. False
   * where it has arrived with that generation, or a later one, already.
   */
  expect(tenant: string, generation: number): Promise<boolean>;
  /** Up to here everything that was written is seen by whoever packs from now on. */
  mark(): Promise<number>;
  /** Jobs that have ended, by their ids. */
  packEnded(tenant: string, after: string | null, limit: number): Promise<PackedJobs>;
  /** Ended jobs of which something was written after one mark and up to another. */
  packSince(tenant: string, since: number, to: number): Promise<PackedJobs>;
  /** Waits for those who write for the tenant, and lets nobody else: all that lives leaves. */
  depart(tenant: string, departure: Departure): Promise<Departed>;
  /** What left with the tenant, in its order. */
  departed(
    tenant: string,
    after: number,
    limit: number,
  ): Promise<{ parts: readonly MovedPart[]; next: number | null }>;
  /** Throws where the tenant has arrived already. A job that lives is never replaced. */
  take(tenant: string, generation: number, parts: readonly MovedPart[]): Promise<void>;
  arrive(tenant: string, generation: number): Promise<void>;
  /** Drops what left: it has arrived. */
  settle(tenant: string): Promise<void>;
  /** Takes away what an ended job said, where its tenant has left and the job is still kept. */
  eraseLeft(tenant: string, id: string): Promise<void>;
}

/** Records that stay where they are: they are of the platform, whomever they name. */
export const STAYING_KINDS = ['history-%', 'ends-%', 'follower', 'worker', 'worker-version'];

/** Records of no tenant that name one in their body, and move with it. */
export const NAMING_KINDS = ['access-key-owner', 'artifact-place'];
