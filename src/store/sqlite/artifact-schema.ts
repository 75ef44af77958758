/**
 * `is_kept` is 1 once the sweep has seen the job's success, so that it need not look again at what
 * stays; the end of a job's row makes its artifacts the sweep's business once more. What a tenant
 * has stored is counted by triggers, so that no way of writing can let the sum drift.
 */
export const artifactSchemaSql: string = `
CREATE TABLE artifacts (
  tenant_id INTEGER NOT NULL,
  id BLOB NOT NULL CHECK (length(id) = 16),
  job_id BLOB,
  name TEXT NOT NULL,
  size INTEGER NOT NULL CHECK (size >= 0),
  sha256 TEXT NOT NULL,
  content_type TEXT NOT NULL,
  location TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  is_kept INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tenant_id, id)
) STRICT;
CREATE UNIQUE INDEX artifacts_name ON artifacts (tenant_id, job_id, name)
  WHERE job_id IS NOT NULL;
CREATE INDEX artifacts_open ON artifacts (tenant_id, job_id)
  WHERE is_kept = 0 AND job_id IS NOT NULL;
CREATE INDEX artifacts_expiry ON artifacts (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE artifact_usage (
  tenant_id INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;
CREATE TRIGGER artifacts_weigh_more AFTER INSERT ON artifacts BEGIN
  INSERT INTO artifact_usage VALUES (new.tenant_id, new.size)
    ON CONFLICT DO UPDATE SET bytes = bytes + new.size;
END;
CREATE TRIGGER artifacts_weigh_less AFTER DELETE ON artifacts BEGIN
  UPDATE artifact_usage SET bytes = bytes - old.size WHERE tenant_id = old.tenant_id;
END;
CREATE TRIGGER artifacts_of_a_gone_job AFTER DELETE ON jobs BEGIN
  UPDATE artifacts SET is_kept = 0 WHERE tenant_id = old.tenant_id AND job_id = old.id;
END;
`;
