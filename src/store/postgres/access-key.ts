import type {
  AccessKey,
  AccessKeyOutcome,
  AccessKeyWrite,
  AccessStore,
  AuditEntry,
  AuditQuery,
  NewAccessKey,
  NewAuditEntry,
} from '../access-key.ts';
import type { Query } from './pool.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

/** The verbs of access, each a transaction of its own. */
export function accessOn(session: Session): AccessStore {
  return {
    writeAccessKey: (write) => writeAccessKey(session, write),
    accessKeys: (of) => listAccessKeys(session, of),
    touchAccessKeys: (ids) => touchAccessKeys(session, ids),
    addAudit: (entries) => addAudit(session, entries),
    audit: (query) => listAudit(session, query),
  };
}

function now(parameter: number): string {
  return NOW.replace('p_now', `$${parameter}`);
}

async function writeAccessKey(session: Session, write: AccessKeyWrite): Promise<AccessKeyOutcome> {
  const { add, end, audit } = write;
  const tenants = [add, end, ...audit].flatMap((one) => (one === null ? [] : [one.tenant]));
  await session.names.addTenants(tenants);
  return session.database.transact(async (query) => {
    if (end !== null && !(await lockKey(session, query, end))) return 'missing';
    if (add !== null && !(await insertKey(session, query, add))) return 'exists';
    if (end !== null) await endKey(session, query, end);
    await insertAudit(session, query, audit);
    return 'written';
  });
}

type Ending = NonNullable<AccessKeyWrite['end']>;

async function lockKey(session: Session, query: Query, end: Ending): Promise<boolean> {
  const rows = await query(
    'SELECT id FROM pawl.access_keys WHERE id = $1 AND tenant_id = $2 FOR UPDATE',
    [end.id, session.names.tenantId(end.tenant)],
  );
  return rows.length === 1;
}

async function insertKey(session: Session, query: Query, key: NewAccessKey): Promise<boolean> {
  const rows = await query(
    `INSERT INTO pawl.access_keys (id, tenant_id, name, hash, roles, scopes, queues, created_by,
       created_at, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, t.now, t.now + $9::int8 * interval '1 millisecond'
     FROM (SELECT ${now(10)} AS now) t ON CONFLICT (id) DO NOTHING RETURNING id`,
    [
      key.id,
      session.names.tenantId(key.tenant),
      key.name,
      key.hash,
      JSON.stringify(key.roles),
      key.scopes === null ? null : JSON.stringify(key.scopes),
      key.queues === null ? null : JSON.stringify(key.queues),
      key.createdBy,
      key.ttlMs,
      session.now(),
    ],
  );
  return rows.length === 1;
}

async function endKey(session: Session, query: Query, end: Ending): Promise<void> {
  await query(
    `UPDATE pawl.access_keys k SET
       expires_at = least(k.expires_at, t.now + $2::int8 * interval '1 millisecond'),
       revoked_at = coalesce(k.revoked_at, CASE WHEN $2::int8 = 0 THEN t.now END),
       replaced_by = coalesce($3, k.replaced_by)
     FROM (SELECT ${now(4)} AS now) t WHERE k.id = $1`,
    [end.id, end.inMs, end.replacedBy, session.now()],
  );
}

interface KeyRow extends Omit<AccessKey, 'tenant' | 'roles' | 'scopes' | 'queues'> {
  readonly tenant_id: number;
  readonly roles: string;
  readonly scopes: string | null;
  readonly queues: string | null;
}

const KEY = `id, tenant_id, name, hash, roles, scopes, queues, created_by AS "createdBy",
  ${toMs('created_at')} AS "createdAt", ${toMs('expires_at')} AS "expiresAt",
  ${toMs('revoked_at')} AS "revokedAt", replaced_by AS "replacedBy",
  ${toMs('used_at')} AS "usedAt"`;

/** Before its tenant is known. */
function readKey({ database }: Session, id: string): Promise<KeyRow[]> {
  return database.read<KeyRow>(`SELECT ${KEY} FROM pawl.access_keys WHERE id = $1`, [id]);
}

async function readKeys({ database, names }: Session, tenant: string): Promise<KeyRow[]> {
  const [id] = await names.findTenants([tenant]);
  const sql = `SELECT ${KEY} FROM pawl.access_keys WHERE tenant_id = $1 ORDER BY seq`;
  return database.readFor<KeyRow>(id, sql, [id]);
}

async function listAccessKeys(
  session: Session,
  of: { id: string } | { tenant: string },
): Promise<AccessKey[]> {
  const rows = 'id' in of ? await readKey(session, of.id) : await readKeys(session, of.tenant);
  await session.names.learn(rows);
  return rows.map(({ tenant_id: tenantId, roles, scopes, queues, ...key }) => ({
    ...key,
    tenant: session.names.tenant(tenantId),
    roles: JSON.parse(roles) as string[],
    scopes: listOf(scopes),
    queues: listOf(queues),
  }));
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

async function touchAccessKeys(session: Session, ids: readonly string[]): Promise<void> {
  await session.database.write(
    `UPDATE pawl.access_keys SET used_at = ${now(2)} WHERE id = ANY ($1)`,
    [[...ids].toSorted(), session.now()],
  );
}

async function addAudit(session: Session, entries: readonly NewAuditEntry[]): Promise<void> {
  await session.names.addTenants(entries.map(({ tenant }) => tenant));
  await session.database.transact((query) => insertAudit(session, query, entries));
}

export async function insertAudit(
  session: Session,
  query: Query,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  for (const { tenant, id, actor, action, subject, details } of entries) {
    await query(
      `INSERT INTO pawl.audit (tenant_id, id, actor, action, subject, details, at)
       VALUES ($1, $2, $3, $4, $5, $6, ${now(7)})`,
      [session.names.tenantId(tenant), id, actor, action, subject, details, session.now()],
    );
  }
}

async function listAudit(session: Session, query: AuditQuery): Promise<AuditEntry[]> {
  const { tenant, limit, before = null } = query;
  const [id] = await session.names.findTenants([tenant]);
  const rows = await session.database.readFor<Omit<AuditEntry, 'tenant'>>(
    id,
    `SELECT id, actor, action, subject, details, ${toMs('at')} AS at FROM pawl.audit
     WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [id, before, limit],
  );
  return rows.map((row) => ({ tenant, ...row }));
}
