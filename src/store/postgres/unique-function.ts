import { rankAt } from './rank-schema.ts';
import { EVENT_COLUMNS } from './sql-text.ts';

const NAMED = `u.tenant_id = x.tenant AND u.type = x.type AND u.mode = x.unique_mode
    AND u.key = x.unique_key`;

/** Of a key that nobody had before, until its job is written. */
const FRESH = `'-infinity'`;

const POSTPONED = `greatest(j.run_at,
  least(v_now + x.unique_window_ms * interval '1 millisecond', u.until))`;

/**
 * Looks whether a job already stands for the newcomer, and amends it. The key's row is locked until
 * the end of the transaction, so that of two racers one makes the job and the other finds it; the
 * job's row too, so that a claim either came before or passes it over. Where it answers null the
 * newcomer is to be written, and the key kept for it.
 */
const JOIN = `
CREATE FUNCTION pawl.join_unique_v1(x pawl.new_job_v1, v_now timestamptz,
  OUT kind text, OUT id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE u pawl.unique_keys; j pawl.jobs; v_run_at timestamptz; v_is_changed boolean;
BEGIN
  LOOP
    INSERT INTO pawl.unique_keys
    VALUES (x.tenant, x.type, x.unique_mode, x.unique_key, x.id, ${FRESH}) ON CONFLICT DO NOTHING;
    IF FOUND THEN RETURN; END IF;
    SELECT * INTO u FROM pawl.unique_keys u WHERE ${NAMED} FOR UPDATE;
    EXIT WHEN FOUND;
  END LOOP;
  SELECT * INTO j FROM pawl.jobs j WHERE j.tenant_id = x.tenant AND j.id = u.job_id FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF x.unique_mode = 'throttle' THEN
    IF v_now < u.until THEN kind := 'throttled'; id := j.id; END IF;
    RETURN;
  END IF;
  IF j.phase > 1 OR j.epoch <> 1 THEN RETURN; END IF;
  kind := CASE x.unique_mode WHEN 'replace' THEN 'replaced' ELSE 'debounced' END;
  id := j.id;
  v_run_at := CASE WHEN x.unique_mode = 'debounce' AND j.run_at > v_now
    THEN ${POSTPONED} ELSE j.run_at END;
  v_is_changed := CASE x.unique_mode WHEN 'replace' THEN j.input::text <> x.input
    ELSE v_run_at <> j.run_at END;
  IF NOT v_is_changed THEN RETURN; END IF;
  UPDATE pawl.jobs t SET version = t.version + 1, notes = 0, updated_at = v_now, run_at = v_run_at,
    rank_at = ${rankAt('v_run_at', 't.priority')},
    input = CASE x.unique_mode WHEN 'replace' THEN x.input::json ELSE t.input END
  WHERE t.tenant_id = x.tenant AND t.id = j.id;
  INSERT INTO pawl.events (${EVENT_COLUMNS})
  VALUES (j.tenant_id, j.id, j.version + 1, j.born, v_now, 'job_amended', j.state, j.state, j.phase,
    j.epoch, j.attempts, j.retry_count, j.progress, j.stage, j.message, x.actor, x.unique_mode,
    CASE x.unique_mode WHEN 'debounce' THEN json_build_object(
      'runAt', (extract(epoch FROM v_run_at) * 1000)::int8) END);
  INSERT INTO pawl.feed (ts, tenants, jobs, versions)
  VALUES (v_now, ARRAY[j.tenant_id], ARRAY[j.id], ARRAY[j.version + 1]);
END $$;`;

/** After the newcomer was written, or was not because its id is taken. */
const KEEP = `
CREATE FUNCTION pawl.keep_unique_v1(x pawl.new_job_v1, v_now timestamptz, p_is_written boolean)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_is_written THEN
    UPDATE pawl.unique_keys u SET job_id = x.id, until = v_now + interval '1 millisecond'
      * CASE x.unique_mode WHEN 'debounce' THEN x.unique_wait_ms ELSE x.unique_window_ms END
    WHERE ${NAMED};
  ELSE
    DELETE FROM pawl.unique_keys u WHERE ${NAMED} AND u.until = ${FRESH};
  END IF;
END $$;`;

export const UNIQUE_FUNCTIONS: readonly string[] = [JOIN, KEEP];
