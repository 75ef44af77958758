import { isUuid } from '../../core/ids.ts';
import type { Webhook, WebhookSettings, WebhookStore, WebhookWrite } from '../webhook.ts';
import { insertAudit } from './access-key.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

/** The verbs of webhooks, each a transaction of its own. */
export function webhooksOn(session: Session): WebhookStore {
  return {
    writeWebhook: (write) => writeWebhook(session, write),
    webhooks: (of) => listWebhooks(session, of),
  };
}

function now(parameter: number): string {
  return NOW.replace('p_now', `$${parameter}`);
}

const INSERT = `INSERT INTO pawl.webhooks
  SELECT $1, $2, 1, $3::json, t.now, t.now FROM (SELECT ${now(4)} AS now) t
  ON CONFLICT DO NOTHING RETURNING id`;
const UPDATE = `UPDATE pawl.webhooks
  SET settings = $3::json, updated_at = ${now(4)}, revision = revision + 1
  WHERE tenant_id = $1 AND id = $2 AND revision = $5 RETURNING id`;
const DELETE = `DELETE FROM pawl.webhooks
  WHERE tenant_id = $1 AND id = $2 AND revision = $3 RETURNING id`;

async function writeWebhook(session: Session, write: WebhookWrite): Promise<'written' | 'stale'> {
  const { tenant, id, expected, settings, audit } = write;
  await session.names.addTenants([tenant, ...audit.map((entry) => entry.tenant)]);
  const key = [session.names.tenantId(tenant), id];
  const text = JSON.stringify(settings);
  return session.database.transact(async (query) => {
    const changed =
      settings === null
        ? await query(DELETE, [...key, expected])
        : expected === 0
          ? await query(INSERT, [...key, text, session.now()])
          : await query(UPDATE, [...key, text, session.now(), expected]);
    if (changed.length !== 1) return 'stale';
    await insertAudit(session, query, audit);
    return 'written';
  });
}

interface WebhookRow extends Pick<Webhook, 'id' | 'revision' | 'createdAt' | 'updatedAt'> {
  readonly tenant_id: number;
  readonly settings: string;
}

const LIST = `SELECT tenant_id, id, revision, settings::text AS settings,
    ${toMs('created_at')} AS "createdAt", ${toMs('updated_at')} AS "updatedAt"
  FROM pawl.webhooks
  WHERE tenant_id = ANY ($1::int[]) AND ($2::uuid IS NULL OR id = $2) ORDER BY id`;

async function listWebhooks(
  session: Session,
  { tenants, id }: { tenants: readonly string[]; id?: string },
): Promise<Webhook[]> {
  if (id !== undefined && !isUuid(id)) return [];
  const found = await session.names.findTenants(tenants);
  const tenantIds = found.filter((tenantId) => tenantId !== null);
  if (tenantIds.length === 0) return [];
  const rows = await session.database.read<WebhookRow>(LIST, [tenantIds, id ?? null]);
  await session.names.learn(rows);
  return rows.map(({ tenant_id: tenantId, settings, ...row }) => ({
    tenant: session.names.tenant(tenantId),
    ...row,
    ...(JSON.parse(settings) as WebhookSettings),
  }));
}
