/** A key is found by its public id alone, before its tenant is known; only hashes are kept. */
export const accessSchemaSql: string = `
CREATE TABLE access_keys (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tenant_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  roles TEXT NOT NULL CHECK (json_valid(roles)),
  scopes TEXT CHECK (json_valid(scopes)),
  queues TEXT CHECK (json_valid(queues)),
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  replaced_by TEXT,
  used_at INTEGER
) STRICT;
CREATE INDEX access_keys_tenant ON access_keys (tenant_id, seq);
CREATE TABLE audit (
  tenant_id INTEGER NOT NULL,
  id BLOB NOT NULL CHECK (length(id) = 16),
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT CHECK (json_valid(details)),
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'an entry of the audit log is never changed');
END;
`;
