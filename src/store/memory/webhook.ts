import type { Webhook, WebhookStore, WebhookWrite } from '../webhook.ts';
import { addAudit } from './access-key.ts';
import { keyOf, type Tables, throughJson } from './tables.ts';

/** The verbs of webhooks over a transaction that the store begins and ends. */
export function webhooksIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): WebhookStore {
  return {
    writeWebhook: (write) => transact((tables) => writeWebhook(tables, write)),
    webhooks: (of) => transact((tables) => listWebhooks(tables, of)),
  };
}

function writeWebhook(tables: Tables, write: WebhookWrite): 'written' | 'stale' {
  const { tenant, id, expected, settings, audit } = write;
  const key = keyOf(tenant, id);
  const before = tables.webhooks.get(key);
  if ((before?.revision ?? 0) !== expected) return 'stale';
  if (settings === null) tables.webhooks.delete(key);
  else {
    const updatedAt = tables.clock.now();
    const createdAt = before?.createdAt ?? updatedAt;
    const row = { tenant, id, ...settings, revision: expected + 1, createdAt, updatedAt };
    tables.webhooks.set(key, throughJson(row));
  }
  addAudit(tables, audit);
  return 'written';
}

function listWebhooks(
  tables: Tables,
  { tenants, id }: { tenants: readonly string[]; id?: string },
): Webhook[] {
  return tables.webhooks
    .values()
    .filter((one) => tenants.includes(one.tenant) && (id === undefined || one.id === id))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
