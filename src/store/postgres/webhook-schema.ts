/** The settings are one JSON text: webhooks are looked up by nothing but tenant and id. */
export const WEBHOOK_SCHEMA = `
CREATE TABLE pawl.webhooks (
  tenant_id int NOT NULL, id uuid NOT NULL, revision int NOT NULL, settings json NOT NULL,
  created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id)
);`;
