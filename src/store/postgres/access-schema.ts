/** A key is found by its public id alone, before its tenant is known; only hashes are kept. */
export const ACCESS_SCHEMA = `
CREATE TABLE pawl.access_keys (
  id text PRIMARY KEY, seq bigint GENERATED ALWAYS AS IDENTITY, tenant_id int NOT NULL,
  name text NOT NULL, hash text NOT NULL, roles json NOT NULL, scopes json, queues json,
  created_at timestamptz NOT NULL, created_by text NOT NULL, expires_at timestamptz,
  revoked_at timestamptz, replaced_by text, used_at timestamptz
);
CREATE INDEX access_keys_tenant ON pawl.access_keys (tenant_id, seq);
CREATE TABLE pawl.audit (
  tenant_id int NOT NULL, id uuid NOT NULL, at timestamptz NOT NULL, actor text NOT NULL,
  action text NOT NULL, subject text NOT NULL, details json, PRIMARY KEY (tenant_id, id)
);
CREATE FUNCTION pawl.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an entry of the audit log is never changed' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE ON pawl.audit
  FOR EACH ROW EXECUTE FUNCTION pawl.refuse_audit_change();`;
