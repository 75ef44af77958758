import { INPUT_VALUE } from '../../artifact/value-name.ts';
import { rankOf } from '../../core/phase.ts';
import { NOW, PINS } from './sql-text.ts';

const SUCCEEDED = rankOf('succeeded');

/**
 * `is_kept` is true once the sweep has seen the job's success, so that it need not look again at
 * what stays; the end of a job's row makes its artifacts the sweep's business once more. What a
 * tenant has stored is counted by a trigger, so that no way of writing can let the sum drift.
 */
const TABLES = `
CREATE TABLE pawl.artifacts (
  tenant_id int NOT NULL, id uuid NOT NULL, job_id uuid, name text NOT NULL,
  size int8 NOT NULL CHECK (size >= 0), sha256 text NOT NULL, content_type text NOT NULL,
  location text NOT NULL UNIQUE, created_at timestamptz NOT NULL, expires_at timestamptz,
  is_kept boolean NOT NULL DEFAULT false, PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX artifacts_name ON pawl.artifacts (tenant_id, job_id, name)
  WHERE job_id IS NOT NULL;
CREATE INDEX artifacts_open ON pawl.artifacts (tenant_id, job_id)
  WHERE NOT is_kept AND job_id IS NOT NULL;
CREATE INDEX artifacts_expiry ON pawl.artifacts (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE pawl.artifact_usage (tenant_id int PRIMARY KEY, bytes int8 NOT NULL);
CREATE FUNCTION pawl.weigh_artifact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO pawl.artifact_usage AS u VALUES (NEW.tenant_id, NEW.size)
    ON CONFLICT (tenant_id) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  ELSE
    UPDATE pawl.artifact_usage SET bytes = bytes - OLD.size WHERE tenant_id = OLD.tenant_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER artifacts_weigh AFTER INSERT OR DELETE ON pawl.artifacts
  FOR EACH ROW EXECUTE FUNCTION pawl.weigh_artifact();
CREATE FUNCTION pawl.open_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pawl.artifacts SET is_kept = false WHERE tenant_id = OLD.tenant_id AND job_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER artifacts_of_a_gone_job AFTER DELETE ON pawl.jobs
  FOR EACH ROW EXECUTE FUNCTION pawl.open_artifacts();`;

/**
 * The job's row stays locked until the commit, so that its end comes before (then nothing is
 * found) or after; the tenant's sum stays locked too, so that two commits cannot both fit.
 */
const COMMIT = `
CREATE FUNCTION pawl.commit_artifact_v1(p_artifact json, p_now double precision,
  OUT kind text, OUT at int8, OUT replaced text, OUT used int8) LANGUAGE plpgsql ${PINS} AS $$
DECLARE v_now timestamptz := ${NOW}; a record; v_before record;
BEGIN
  SELECT * INTO a FROM json_to_record(p_artifact) AS x(tenant int, id uuid, job uuid, owner text,
    epoch int, name text, size int8, sha256 text, content_type text, location text,
    keep_ms int8, bytes_max int8);
  at := extract(epoch FROM v_now) * 1000;
  IF a.job IS NOT NULL THEN
    PERFORM FROM pawl.jobs j WHERE j.id = a.job AND j.tenant_id = a.tenant AND j.epoch = a.epoch
      AND j.phase + 0 IN (2, 3) AND j.lease_owner || '' = a.owner AND j.lease_expiry > v_now
      FOR NO KEY UPDATE;
    IF NOT FOUND THEN kind := 'lost'; RETURN; END IF;
  END IF;
  INSERT INTO pawl.artifact_usage VALUES (a.tenant, 0) ON CONFLICT DO NOTHING;
  SELECT u.bytes INTO used FROM pawl.artifact_usage u WHERE u.tenant_id = a.tenant FOR UPDATE;
  SELECT o.id, o.size, o.location INTO v_before FROM pawl.artifacts o
    WHERE o.tenant_id = a.tenant AND o.job_id = a.job AND o.name = a.name;
  IF used - coalesce(v_before.size, 0) + a.size > a.bytes_max THEN
    kind := 'overQuota'; RETURN;
  END IF;
  DELETE FROM pawl.artifacts o WHERE o.tenant_id = a.tenant AND o.id = v_before.id;
  replaced := v_before.location;
  INSERT INTO pawl.artifacts (tenant_id, id, job_id, name, size, sha256, content_type, location,
    created_at, expires_at)
  VALUES (a.tenant, a.id, a.job, a.name, a.size, a.sha256, a.content_type, a.location, v_now,
    v_now + a.keep_ms * interval '1 millisecond');
  kind := 'committed';
END $$;`;

/** A value of a job stays as long as the job, or a dead letter of it. */
const IS_VALUE = "a.name LIKE '$%'";
const HAS_LETTER = `EXISTS (SELECT FROM pawl.dead_letters d
      WHERE d.tenant_id = a.tenant_id AND d.job_id = coalesce(a.job_id, a.id))`;

const SWEEP = `
CREATE FUNCTION pawl.remove_stale_artifacts_v1(p_limit int, p_now double precision)
RETURNS SETOF pawl.artifacts LANGUAGE plpgsql AS $$
DECLARE v_now timestamptz := ${NOW};
BEGIN
  UPDATE pawl.artifacts a SET job_id = a.id, expires_at = NULL
  WHERE a.expires_at <= v_now AND a.name = '${INPUT_VALUE}' AND (${HAS_LETTER} OR EXISTS (
    SELECT FROM pawl.jobs j WHERE j.id = a.id AND j.tenant_id = a.tenant_id));
  UPDATE pawl.artifacts a SET is_kept = true FROM pawl.jobs j
  WHERE NOT a.is_kept AND a.job_id IS NOT NULL AND j.id = a.job_id AND j.tenant_id = a.tenant_id
    AND (j.phase = ${SUCCEEDED} OR (j.phase > ${SUCCEEDED} AND ${IS_VALUE}));
  RETURN QUERY WITH stale AS MATERIALIZED (
    SELECT a.tenant_id, a.id FROM pawl.artifacts a
    LEFT JOIN pawl.jobs j ON j.id = a.job_id AND j.tenant_id = a.tenant_id
    WHERE NOT a.is_kept AND a.job_id IS NOT NULL AND CASE WHEN j.id IS NOT NULL
      THEN j.phase > ${SUCCEEDED} AND NOT ${IS_VALUE}
      ELSE NOT (${IS_VALUE} AND ${HAS_LETTER}) END
    UNION
    SELECT a.tenant_id, a.id FROM pawl.artifacts a WHERE a.expires_at <= v_now
    LIMIT p_limit)
  DELETE FROM pawl.artifacts a USING stale s
  WHERE a.tenant_id = s.tenant_id AND a.id = s.id RETURNING a.*;
END $$;`;

/** Artifacts: records of bytes that lie outside the database. */
export const ARTIFACT_SCHEMA: string = [TABLES, COMMIT, SWEEP].join('\n');
