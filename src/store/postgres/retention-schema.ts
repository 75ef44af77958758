import { ERASED } from '../retention.ts';

/**
 * How far the purge has come: in which day's events it is and after which job, whether a job was
 * left behind there, the cut at which this round over the days began, and up to where the feed is
 * gone, in which log.
 */
const TABLES = `
CREATE TABLE pawl.retention (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  day date, after uuid, is_clear boolean NOT NULL DEFAULT true, began timestamptz,
  floor_log text, floor_xid xid8, floor_n int8
);
INSERT INTO pawl.retention DEFAULT VALUES;
CREATE INDEX unique_keys_until ON pawl.unique_keys (until);`;

/** The days of a partitioned table, by what their names say. */
const DAYS = `
CREATE FUNCTION pawl.days_v1(p_table text) RETURNS TABLE (day date, name text) LANGUAGE sql STABLE
AS $$
  -- The planner may ask for the day of every table there is, before it looks at whose it is.
  SELECT CASE WHEN c.relname ~ '^(events|notes)_[0-9]{8}$'
    THEN to_date(right(c.relname, 8), 'YYYYMMDD') END, c.relname::text
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = ('pawl.' || p_table)::regclass
$$;`;

const FACTS = `tenant_id, job_id, version, born, ts, type, from_state, to_state, phase, epoch,
  attempt, retry_count, progress, stage, actor, cause`
  .split(',')
  .map((name) => name.trim());

function factsOf(row: 'OLD' | 'NEW'): string {
  return FACTS.map((name) => `${row}.${name}`).join(', ');
}

/** No event is changed but by an erasure: texts go, what happened stays, and the job has ended. */
export const EVENT_GUARD = `
CREATE FUNCTION pawl.guard_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (${factsOf('OLD')}) IS NOT DISTINCT FROM (${factsOf('NEW')}) AND NEW.message IS NULL
    AND (NEW.payload::text IS NOT DISTINCT FROM OLD.payload::text
      OR NEW.payload #>> '{error,message}' = '${ERASED}')
    AND EXISTS (SELECT FROM pawl.jobs j
      WHERE j.tenant_id = OLD.tenant_id AND j.id = OLD.job_id AND j.phase >= 5)
  THEN RETURN NULL; END IF;
  RAISE EXCEPTION USING ERRCODE = 'PW004', MESSAGE = 'an event cannot be changed';
END $$;
CREATE TRIGGER guard_event AFTER UPDATE ON pawl.events FOR EACH ROW
EXECUTE FUNCTION pawl.guard_event();`;

export const RETENTION_SCHEMA: readonly string[] = [TABLES, DAYS];
