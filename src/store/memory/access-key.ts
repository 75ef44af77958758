import type {
  AccessKey,
  AccessKeyOutcome,
  AccessKeyWrite,
  AccessStore,
  AuditEntry,
  AuditQuery,
  NewAuditEntry,
} from '../access-key.ts';
import { deepFreeze, type Tables } from './tables.ts';

/** The verbs of access over a transaction that the store begins and ends. */
export function accessIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): AccessStore {
  return {
    writeAccessKey: (write) => transact((tables) => writeAccessKey(tables, write)),
    accessKeys: (of) => transact((tables) => listAccessKeys(tables, of)),
    touchAccessKeys: (ids) => transact((tables) => touchAccessKeys(tables, ids)),
    addAudit: (entries) => transact((tables) => addAudit(tables, entries)),
    audit: (query) => transact((tables) => listAudit(tables, query)),
  };
}

function writeAccessKey(tables: Tables, write: AccessKeyWrite): AccessKeyOutcome {
  const { add, end, audit } = write;
  const now = tables.clock.now();
  if (add !== null && tables.accessKeys.get(add.id) !== undefined) return 'exists';
  const ending = end === null ? undefined : tables.accessKeys.get(end.id);
  if (end !== null && ending?.tenant !== end.tenant) return 'missing';
  if (add !== null) {
    const { ttlMs, ...rest } = add;
    const expiresAt = ttlMs === null ? null : now + ttlMs;
    const fresh = { createdAt: now, expiresAt, revokedAt: null, replacedBy: null, usedAt: null };
    tables.accessKeys.set(add.id, deepFreeze({ ...structuredClone(rest), ...fresh }));
  }
  if (end !== null && ending !== undefined) {
    const { inMs, replacedBy } = end;
    tables.accessKeys.set(end.id, {
      ...ending,
      expiresAt: Math.min(ending.expiresAt ?? Number.POSITIVE_INFINITY, now + inMs),
      revokedAt: inMs === 0 ? (ending.revokedAt ?? now) : ending.revokedAt,
      replacedBy: replacedBy ?? ending.replacedBy,
    });
  }
  addAudit(tables, audit);
  return 'written';
}

function listAccessKeys(tables: Tables, of: { id: string } | { tenant: string }): AccessKey[] {
  if ('id' in of) return [tables.accessKeys.get(of.id)].filter((key) => key !== undefined);
  return tables.accessKeys.values().filter((key) => key.tenant === of.tenant);
}

function touchAccessKeys(tables: Tables, ids: readonly string[]): void {
  for (const id of ids) {
    const key = tables.accessKeys.get(id);
    if (key !== undefined) tables.accessKeys.set(id, { ...key, usedAt: tables.clock.now() });
  }
}

export function addAudit(tables: Tables, entries: readonly NewAuditEntry[]): void {
  for (const entry of entries) tables.audit.append({ ...entry, at: tables.clock.now() });
}

function listAudit(tables: Tables, { tenant, limit, before }: AuditQuery): AuditEntry[] {
  return tables.audit
    .from(0)
    .filter((entry) => entry.tenant === tenant && (before === undefined || entry.id < before))
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit);
}
