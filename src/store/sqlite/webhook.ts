import type { Webhook, WebhookSettings, WebhookWrite } from '../webhook.ts';
import { addAudit } from './access-key.ts';
import { bytesToFind, bytesToStore, type Row, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const INSERT = 'INSERT INTO webhooks VALUES (?1, ?2, 1, ?3, ?4, ?4) ON CONFLICT DO NOTHING';
const UPDATE = `UPDATE webhooks SET settings = ?3, updated_at = ?4, revision = revision + 1
  WHERE tenant_id = ?1 AND id = ?2 AND revision = ?5`;
const DELETE = 'DELETE FROM webhooks WHERE tenant_id = ?1 AND id = ?2 AND revision = ?3';

export function writeWebhook(work: Work, write: WebhookWrite): 'written' | 'stale' {
  const { connection, registry, now } = work;
  const { tenant, id, expected, settings, audit } = write;
  const key = [registry.makeTenant(tenant), bytesToStore(id)] as const;
  const text = settings === null ? '' : JSON.stringify(settings);
  const change = (): number | bigint => {
    if (settings === null) return connection.sql(DELETE).run(...key, expected).changes;
    if (expected === 0) return connection.sql(INSERT).run(...key, text, now).changes;
    return connection.sql(UPDATE).run(...key, text, now, expected).changes;
  };
  if (change() !== 1) return 'stale';
  addAudit(work, audit);
  return 'written';
}

const OF_TENANT = 'SELECT * FROM webhooks WHERE tenant_id = ? ORDER BY id';
const BY_ID = 'SELECT * FROM webhooks WHERE tenant_id = ? AND id = ?';

export function listWebhooks(
  { connection, registry }: Work,
  { tenants, id }: { tenants: readonly string[]; id?: string },
): Webhook[] {
  const rows = [...new Set(tenants)].flatMap((tenant) => {
    const tenantId = registry.findTenant(tenant);
    const found =
      id === undefined
        ? connection.sql(OF_TENANT).all(tenantId)
        : connection.sql(BY_ID).all(tenantId, bytesToFind(id));
    return found.map((row) => webhookOf(tenant, row));
  });
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

function webhookOf(tenant: string, row: Row): Webhook {
  return {
    tenant,
    id: uuidOfBytes(row['id'] as Uint8Array),
    ...(JSON.parse(String(row['settings'])) as WebhookSettings),
    revision: row['revision'] as number,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
  };
}
