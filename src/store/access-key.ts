import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';

/** A credential that the platform gave out; the secret itself is stored nowhere. */
export interface AccessKey {
  /** Public, and unique over all tenants: a key is looked up before its tenant is known. */
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly hash: string;
  readonly roles: readonly string[];
  /** Narrows what the roles allow; null leaves it as it is. */
  readonly scopes: readonly string[] | null;
  /** Queues that a worker's claims are bound to; null for all. */
  readonly queues: readonly string[] | null;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** The key that takes its place. */
  readonly replacedBy: string | null;
  readonly usedAt: Instant | null;
}

/** Something that an administrator did, told by who did it. Entries are only ever added. */
export interface AuditEntry {
  readonly tenant: string;
  /** UUIDv7: lists are by descending id. */
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** What changed, without any secret. */
  readonly details: JsonText | null;
  readonly at: Instant;
}

export type NewAuditEntry = Omit<AuditEntry, 'at'>;

export interface NewAccessKey extends Omit<
  AccessKey,
  'createdAt' | 'revokedAt' | 'replacedBy' | 'usedAt' | 'expiresAt'
> {
  /** How long from now it is good for; null for ever. */
  readonly ttlMs: number | null;
}

/**
 * One change, in one transaction with the entries that tell of it: `add` stores a new key, `end`
 * lets a key of that tenant end so long from now (0: at once, which also marks it revoked; an end
 * that was earlier already is kept) and says which one takes its place.
 */
export interface AccessKeyWrite {
  readonly add: NewAccessKey | null;
  readonly end: {
    readonly tenant: string;
    readonly id: string;
    readonly inMs: number;
    readonly replacedBy: string | null;
  } | null;
  readonly audit: readonly NewAuditEntry[];
}

/**
 * `exists`: the id of the key to add is taken. `missing`: the key to end is not there, or of
 * another tenant. Only `written` has written anything.
 */
export type AccessKeyOutcome = 'written' | 'exists' | 'missing';

export interface AuditQuery {
  readonly tenant: string;
  readonly limit: number;
  readonly before?: string;
}

/** What the port knows of credentials and of who managed them. */
export interface AccessStore {
  writeAccessKey(write: AccessKeyWrite): Promise<AccessKeyOutcome>;
  /** One by its id, whoever it belongs to, or all of a tenant in the order of their making. */
  accessKeys(of: { readonly id: string } | { readonly tenant: string }): Promise<AccessKey[]>;
  /** Remembers that keys were used now. */
  touchAccessKeys(ids: readonly string[]): Promise<void>;
  addAudit(entries: readonly NewAuditEntry[]): Promise<void>;
  audit(query: AuditQuery): Promise<AuditEntry[]>;
}
