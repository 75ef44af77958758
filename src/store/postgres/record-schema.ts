/**
 * Everything that is stored beside jobs. Tags are stored by their position in the kind; times are
 * in milliseconds. The fill factor leaves room for HOT updates of followers. `dead_letters` is a
 * view for people who query the database.
 */
export const RECORD_SCHEMA = `
CREATE TABLE pawl.records (
  kind text COLLATE "C" NOT NULL, tenant text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
  version int8 NOT NULL, tag_1 text COLLATE "C", tag_2 text COLLATE "C", tag_3 text COLLATE "C",
  tag_4 text COLLATE "C", due_at int8, job_id text COLLATE "C", owner text, leased_until int8,
  created_at int8 NOT NULL, updated_at int8 NOT NULL, body json NOT NULL,
  PRIMARY KEY (kind, tenant, id)
) WITH (fillfactor = 70);
CREATE INDEX records_due ON pawl.records (kind, due_at, tenant, id) WHERE due_at IS NOT NULL;
CREATE INDEX records_job ON pawl.records (job_id, tenant, kind, id) WHERE job_id IS NOT NULL;
CREATE INDEX records_tag_1 ON pawl.records (kind, tag_1, tenant, id) WHERE tag_1 IS NOT NULL;
CREATE INDEX records_tag_2 ON pawl.records (kind, tag_2, tenant, id) WHERE tag_2 IS NOT NULL;
CREATE INDEX records_tag_3 ON pawl.records (kind, tag_3, tenant, id) WHERE tag_3 IS NOT NULL;
CREATE INDEX records_tag_4 ON pawl.records (kind, tag_4, tenant, id) WHERE tag_4 IS NOT NULL;
CREATE FUNCTION pawl.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an entry of the audit log is never changed' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE ON pawl.records
  FOR EACH ROW WHEN (OLD.kind = 'audit') EXECUTE FUNCTION pawl.refuse_audit_change();
CREATE VIEW pawl.dead_letters AS
  SELECT tenant, id, job_id, created_at,
    body ->> 'type' AS type,
    body ->> 'reasonCode' AS reason_code,
    body ->> 'failureStage' AS failure_stage,
    body ->> 'lastError' AS last_error,
    body ->> 'attempts' AS attempts,
    body ->> 'lastOwner' AS last_owner,
    body ->> 'lastLeaseExpiresAt' AS last_lease_expires_at,
    body ->> 'correlationId' AS correlation_id,
    body ->> 'fingerprint' AS fingerprint,
    body ->> 'replayedAs' AS replayed_as,
    body ->> 'input' AS input
  FROM pawl.records WHERE kind = 'dead-letter';`;
