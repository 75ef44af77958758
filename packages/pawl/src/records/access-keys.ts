import type { Instant } from '../core/clock.ts';
import { tagOf } from '../core/precondition.ts';
import type {
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import type { RecordPage } from './record-page.ts';
import { auditOps, type NewAuditEntry } from './audit.ts';
import { changeRecords } from './change.ts';

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
  /** The groups whose shared jobs and processes its holder sees. Keys of old have none. */
  readonly groups?: readonly string[];
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** The key that takes its place. */
  readonly replacedBy: string | null;
  readonly usedAt: Instant | null;
}

export interface NewAccessKey extends Omit<
  AccessKey,
  'createdAt' | 'revokedAt' | 'replacedBy' | 'usedAt' | 'expiresAt'
> {
  /** How long from now it is good for; null for ever. */
  readonly ttlMs: number | null;
}

/** Names a key of a tenant. */
export type KeyRef = Pick<AccessKey, 'tenant' | 'id'>;

/**
 * One change, in one transaction with the entries that tell of it: `add` stores a new key, `end`
 * lets a key of that tenant end so long from now (0: at once, which also marks it revoked; an end
 * that was earlier already is kept) and says which one takes its place.
 */
export interface AccessKeyWrite {
  readonly add: NewAccessKey | null;
  readonly end: (KeyRef & { readonly inMs: number; readonly replacedBy: string | null }) | null;
  readonly audit: readonly NewAuditEntry[];
  /** Throws where the key to end may not be ended as it stands. */
  readonly check?: (ending: AccessKey) => void;
}

/**
 * `exists`: the id of the key to add is taken. `missing`: the key to end is not there, or of
 * another tenant. Only `written` has written anything.
 */
export type AccessKeyOutcome = 'written' | 'exists' | 'missing';

const KEY: RecordKind = { name: 'access-key' };

/** Maps a key's id to its tenant. A platform record, so ids are unique over all tenants. */
const OWNER: RecordKind = { name: 'access-key-owner', keptIn: 'beside' };

/** `createdAt` is the record's own; `expiresAt` is its due time. */
type Body = Omit<AccessKey, 'id' | 'tenant' | 'createdAt' | 'expiresAt'>;

function keyOf({ tenant, id }: KeyRef): RecordKey {
  return { kind: KEY, tenant, id };
}

function ownerKey(id: string): RecordKey {
  return { kind: OWNER, tenant: '', id };
}

function accessKeyOf({ tenant, id, body, createdAt, dueAt }: StoredRecord): AccessKey {
  return { tenant, id, ...(JSON.parse(body) as Body), createdAt, expiresAt: dueAt };
}

/** Of all but its last use. */
export function keyTag({ usedAt: _usedAt, hash: _hash, ...key }: AccessKey): string {
  return tagOf(key);
}

/** The repository of access keys. */
export class AccessKeys {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  write({ add, end, audit, check }: AccessKeyWrite): Promise<AccessKeyOutcome> {
    const made = add === null ? [] : additionOf(add);
    // The owner too: of several databases, another one may have a key of that id.
    const keys = [
      ...(end === null ? [] : [keyOf(end)]),
      ...(add === null ? [] : [ownerKey(add.id)]),
    ];
    return changeRecords<AccessKeyOutcome>(this.#records, keys, (found, at) => {
      const ending = end === null ? null : (found[0] ?? null);
      if (end !== null && ending === null) return { ops: [], answer: () => 'missing' };
      if (add !== null && found.at(-1) !== null) return { ops: [], answer: () => 'exists' };
      if (ending !== null) check?.(accessKeyOf(ending));
      const ended = end === null ? [] : [endingOf(end, ending!, at)];
      return {
        ops: [...made, ...ended, ...auditOps(audit)],
        answer: () => 'written',
        refused: ({ index }) => (index < made.length ? 'exists' : null),
      };
    });
  }

  /** One by its id, whoever it belongs to. */
  async find(id: string): Promise<AccessKey | null> {
    const { records } = await this.#records.read([ownerKey(id)]);
    const [owner] = records;
    if (!owner) return null;
    const { tenant } = JSON.parse(owner.body) as { tenant: string };
    const [key] = (await this.#records.read([keyOf({ tenant, id })])).records;
    return key ? accessKeyOf(key) : null;
  }

  /** Keys of a tenant, by id. */
  async list(tenant: string, page: RecordPage): Promise<AccessKey[]> {
    const query = { kind: KEY, tenants: [tenant], ...page };
    return (await this.#records.list(query)).records.map(accessKeyOf);
  }

  /** Remembers that keys were used now. */
  async touch(refs: readonly KeyRef[]): Promise<void> {
    for (const own of Map.groupBy(refs, ({ tenant }) => tenant).values()) {
      await changeRecords(this.#records, own.map(keyOf), (found, at) => ({
        ops: found.filter((record) => record !== null).map((record) => touched(record, at)),
        answer: () => null,
      }));
    }
  }
}

function additionOf({ id, tenant, ttlMs, ...rest }: NewAccessKey): RecordOp[] {
  const body: Body = { ...rest, revokedAt: null, replacedBy: null, usedAt: null };
  const due = ttlMs === null ? {} : { dueInMs: ttlMs };
  const owner = JSON.stringify({ tenant });
  return [
    { op: 'put', ...ownerKey(id), body: owner, expected: 'absent' },
    { op: 'put', ...keyOf({ tenant, id }), body: JSON.stringify(body), expected: 'absent', ...due },
  ];
}

function endingOf(
  { inMs, replacedBy, ...ref }: NonNullable<AccessKeyWrite['end']>,
  ending: StoredRecord,
  at: Instant,
): RecordOp {
  const before = JSON.parse(ending.body) as Body;
  const body: Body = {
    ...before,
    revokedAt: inMs === 0 ? (before.revokedAt ?? at) : before.revokedAt,
    replacedBy: replacedBy ?? before.replacedBy,
  };
  const dueAt = Math.min(ending.dueAt ?? Infinity, at + inMs);
  return { op: 'put', ...keyOf(ref), body: JSON.stringify(body), dueAt, expected: ending };
}

function touched(record: StoredRecord, at: Instant): RecordOp {
  const body: Body = { ...(JSON.parse(record.body) as Body), usedAt: at };
  const { dueAt } = record;
  return { op: 'put', ...keyOf(record), body: JSON.stringify(body), dueAt, expected: record };
}
