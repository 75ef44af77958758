/** The settings are one JSON text: webhooks are looked up by nothing but tenant and id. */
export const webhookSchemaSql: string = `
CREATE TABLE webhooks (
  tenant_id INTEGER NOT NULL,
  id BLOB NOT NULL CHECK (length(id) = 16),
  revision INTEGER NOT NULL,
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;
`;
