import type {
  AccessKey,
  AccessKeyOutcome,
  AccessKeyWrite,
  AuditEntry,
  AuditQuery,
  NewAccessKey,
  NewAuditEntry,
} from '../access-key.ts';
import { bytesToStore, type Row, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const KEY_BY_ID = 'SELECT * FROM access_keys WHERE id = ?';
const KEYS_OF = 'SELECT * FROM access_keys WHERE tenant_id = ? ORDER BY seq';

export function writeAccessKey(work: Work, write: AccessKeyWrite): AccessKeyOutcome {
  const { connection, registry, now } = work;
  const { add, end, audit } = write;
  if (add !== null && connection.sql(KEY_BY_ID).get(add.id) !== undefined) return 'exists';
  if (end !== null) {
    const row = connection.sql(KEY_BY_ID).get(end.id);
    const tenantId = registry.findTenant(end.tenant);
    if (row === undefined || row['tenant_id'] !== tenantId) return 'missing';
  }
  if (add !== null) insertKey(work, add);
  if (end !== null) {
    connection
      .sql(`UPDATE access_keys SET expires_at = min(coalesce(expires_at, ?1), ?1),
        revoked_at = coalesce(revoked_at, ?2), replaced_by = coalesce(?3, replaced_by)
        WHERE id = ?4`)
      .run(now + end.inMs, end.inMs === 0 ? now : null, end.replacedBy, end.id);
  }
  addAudit(work, audit);
  return 'written';
}

function insertKey({ connection, registry, now }: Work, key: NewAccessKey): void {
  connection
    .sql(`INSERT INTO access_keys (id, tenant_id, name, hash, roles, scopes, queues, created_at,
      created_by, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      key.id,
      registry.makeTenant(key.tenant),
      key.name,
      key.hash,
      JSON.stringify(key.roles),
      listText(key.scopes),
      listText(key.queues),
      now,
      key.createdBy,
      key.ttlMs === null ? null : now + key.ttlMs,
    );
}

function listText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

function listOf(text: Row[string] | undefined): string[] | null {
  return typeof text === 'string' ? (JSON.parse(text) as string[]) : null;
}

export function listAccessKeys(work: Work, of: { id: string } | { tenant: string }): AccessKey[] {
  const { connection, registry } = work;
  const rows =
    'id' in of
      ? connection.sql(KEY_BY_ID).all(of.id)
      : connection.sql(KEYS_OF).all(registry.findTenant(of.tenant));
  return rows.map((row) => keyOfRow(work, row));
}

function keyOfRow({ registry }: Work, row: Row): AccessKey {
  return {
    id: String(row['id']),
    tenant: registry.tenantName(row['tenant_id'] as number),
    name: String(row['name']),
    hash: String(row['hash']),
    roles: listOf(row['roles'])!,
    scopes: listOf(row['scopes']),
    queues: listOf(row['queues']),
    createdAt: row['created_at'] as number,
    createdBy: String(row['created_by']),
    expiresAt: row['expires_at'] as number | null,
    revokedAt: row['revoked_at'] as number | null,
    replacedBy: row['replaced_by'] as string | null,
    usedAt: row['used_at'] as number | null,
  };
}

export function touchAccessKeys({ connection, now }: Work, ids: readonly string[]): void {
  const touch = connection.sql('UPDATE access_keys SET used_at = ? WHERE id = ?');
  for (const id of ids) touch.run(now, id);
}

export function addAudit(work: Work, entries: readonly NewAuditEntry[]): void {
  const { connection, registry, now } = work;
  const insert = connection.sql('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const { tenant, id, actor, action, subject, details } of entries) {
    insert.run(registry.makeTenant(tenant), bytesToStore(id), now, actor, action, subject, details);
  }
}

const AUDIT_OF = `SELECT * FROM audit WHERE tenant_id = ? AND id < ? ORDER BY id DESC LIMIT ?`;
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function listAudit({ connection, registry }: Work, query: AuditQuery): AuditEntry[] {
  const { tenant, limit, before = LAST_UUID } = query;
  const rows = connection
    .sql(AUDIT_OF)
    .all(registry.findTenant(tenant), bytesToStore(before), limit);
  return rows.map((row) => ({
    tenant,
    id: uuidOfBytes(row['id'] as Uint8Array),
    actor: String(row['actor']),
    action: String(row['action']),
    subject: String(row['subject']),
    details: row['details'] as string | null,
    at: row['at'] as number,
  }));
}
