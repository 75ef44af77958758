/**
 * Everything that is stored beside jobs. Tags are stored by their position in the kind; times are
 * in milliseconds. `dead_letters` is a view for people who query the database.
 */
export const recordSchemaSql = `
CREATE TABLE records (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  tag_1 TEXT,
  tag_2 TEXT,
  tag_3 TEXT,
  tag_4 TEXT,
  due_at INTEGER,
  job_id TEXT,
  owner TEXT,
  leased_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (kind, tenant, id)
) STRICT;
CREATE INDEX records_due ON records (kind, due_at, tenant, id) WHERE due_at IS NOT NULL;
CREATE INDEX records_job ON records (job_id, tenant, kind, id) WHERE job_id IS NOT NULL;
CREATE INDEX records_tag_1 ON records (kind, tag_1, tenant, id) WHERE tag_1 IS NOT NULL;
CREATE INDEX records_tag_2 ON records (kind, tag_2, tenant, id) WHERE tag_2 IS NOT NULL;
CREATE INDEX records_tag_3 ON records (kind, tag_3, tenant, id) WHERE tag_3 IS NOT NULL;
CREATE INDEX records_tag_4 ON records (kind, tag_4, tenant, id) WHERE tag_4 IS NOT NULL;
CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE ON records WHEN OLD.kind = 'audit'
BEGIN
  SELECT RAISE(ABORT, 'an entry of the audit log is never changed');
END;
CREATE VIEW dead_letters AS
SELECT tenant, id, job_id, created_at,
  body ->> '$.type' AS type,
  body ->> '$.reasonCode' AS reason_code,
  body ->> '$.failureStage' AS failure_stage,
  body ->> '$.lastError' AS last_error,
  body ->> '$.attempts' AS attempts,
  body ->> '$.lastOwner' AS last_owner,
  body ->> '$.lastLeaseExpiresAt' AS last_lease_expires_at,
  body ->> '$.correlationId' AS correlation_id,
  body ->> '$.fingerprint' AS fingerprint,
  body ->> '$.replayedAs' AS replayed_as,
  body ->> '$.input' AS input
FROM records WHERE kind = 'dead-letter';
`;
