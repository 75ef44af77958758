import { gateWhenDue } from './admission-functions.ts';
import { COUNT_COMPLETED } from './apply-functions.ts';
import { JOB_COLUMNS } from './insert-functions.ts';
import { rankAt } from './rank-schema.ts';
import { byKey, EVENT_COLUMNS, fromMs, NOW, PINS, STEADY_NOW, WAIT } from './sql-text.ts';

/**
 * Many jobs that differ in nothing but their ids, inputs, correlations and documents: what they
 * have in common is read once, and the rest comes as sets that need no reading item by item. No
 * keys, no limits, nothing that could stand in another's way; an id that is taken makes all fail.
 */
const INSERT_ALIKE = `
CREATE FUNCTION pawl.insert_alike_v1(p_job json, p_ids uuid[], p_inputs json,
  p_correlations text[], p_documents text[], p_wait_ms int, p_now double precision)
RETURNS int8 LANGUAGE plpgsql SET lock_timeout = 0 ${PINS} AS $$
#variable_conflict use_column
DECLARE x pawl.new_job_v1 := json_populate_record(NULL::pawl.new_job_v1, p_job);
  v_now timestamptz := ${NOW}; v_born date := (v_now AT TIME ZONE 'UTC')::date;
  v_run_at timestamptz := coalesce(${fromMs('x.run_at')}, v_now);
  v_rank_at timestamp := ${rankAt('v_run_at', 'x.priority')};
  v_deadline_at timestamptz := ${fromMs('x.deadline_at')};
  v_gate smallint := CASE WHEN x.phase <> 1 THEN NULL WHEN v_run_at > v_now THEN 1
    ELSE ${gateWhenDue('x')} END;
  v_metadata json := x.metadata;
BEGIN
  ${WAIT}
  IF json_array_length(p_inputs) <> cardinality(p_ids) THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'each job must have one input';
  END IF;
  WITH i AS (
    INSERT INTO pawl.jobs (${JOB_COLUMNS})
    SELECT x.tenant, y.id, v_born, x.type, x.queue, x.lifecycle, x.policy, x.state, x.phase, v_gate,
      NULL, NULL, NULL, NULL, 1, x.version, 0, x.priority, v_run_at, v_rank_at, v_deadline_at, 0,
      x.max_attempts, 0, 0, v_now, v_now, y.correlation, x.trace_id, x.requested_by,
      x.parent_job_id, y.document, y.input, v_metadata, x.job_limit_key, x.parent_kind
    FROM ROWS FROM (unnest(p_ids), json_array_elements(p_inputs), unnest(p_correlations),
      unnest(p_documents)) AS y(id, input, correlation, document)),
  e AS (
    INSERT INTO pawl.events (${EVENT_COLUMNS})
    SELECT x.tenant, y.id, v.version, v_born, v_now,
      CASE v.version WHEN 1 THEN 'job_created' ELSE 'job_queued' END,
      CASE v.version WHEN 2 THEN x.born_state END,
      CASE WHEN v.version = x.version THEN x.state ELSE x.born_state END,
      CASE WHEN v.version = x.version THEN x.phase ELSE x.born_phase END,
      1, 0, 0, 0, NULL, NULL, x.actor, NULL, NULL
    FROM unnest(p_ids) AS y(id) CROSS JOIN LATERAL generate_series(1, x.version) AS v(version))
  INSERT INTO pawl.feed (ts, tenants, jobs, versions)
  SELECT v_now, array_agg(x.tenant), array_agg(y.id), array_agg(v.version)
  FROM unnest(p_ids) AS y(id) CROSS JOIN LATERAL generate_series(1, x.version) AS v(version);
  RETURN extract(epoch FROM v_now) * 1000;
END $$;`;

/** Successes of one owner's jobs that stood in one place and go to one. */
const COMPLETE_ALIKE = `
CREATE FUNCTION pawl.complete_alike_v1(p_tenant int, p_ids uuid[], p_epochs int[], p_results json,
  p_owner text, p_actor text, p_state text, p_to_state text, p_wait_ms int,
  p_now double precision)
RETURNS TABLE (ords int[], versions int[], at int8) LANGUAGE plpgsql SET lock_timeout = 0 ${PINS}
AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW}; v_ms int8 := extract(epoch FROM v_now) * 1000;
  v_ords int[]; v_versions int[]; v_keys text[];
BEGIN
  ${WAIT}
  IF json_array_length(p_results) <> cardinality(p_ids) THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'each job must have one result';
  END IF;
  WITH u AS (
    UPDATE pawl.jobs j SET state = p_to_state, phase = 5, version = j.version + 1, notes = 0,
      gate = NULL, progress = 100, lease_owner = NULL, lease_expiry = NULL, lease_end = NULL,
      claim_request = NULL, cancel_mode = NULL, cancel_reason = NULL,
      completed_at = ${STEADY_NOW}, error = NULL, result = x.result, updated_at = ${STEADY_NOW}
    FROM ROWS FROM (unnest(p_ids), unnest(p_epochs), json_array_elements(p_results))
      WITH ORDINALITY AS x(id, epoch, result, ord)
    WHERE ${byKey('j', { tenant: 'p_tenant', id: 'x.id' })} AND j.epoch = x.epoch
      AND j.state || '' = p_state AND j.phase + 0 = 3 AND j.lease_owner || '' = p_owner
      AND j.lease_expiry > v_now
    RETURNING j.tenant_id, j.id, j.version, j.born, j.epoch, j.attempts, j.retry_count, j.stage,
      j.message, j.updated_at, j.type, j.limit_key, x.ord),
  e AS (
    INSERT INTO pawl.events (${EVENT_COLUMNS})
    SELECT tenant_id, id, version, born, updated_at, 'job_succeeded', p_state, p_to_state, 5, epoch,
      attempts, retry_count, 100, stage, message, p_actor, NULL, NULL FROM u),
  f AS (
    INSERT INTO pawl.feed (ts, tenants, jobs, versions)
    SELECT v_now, array_agg(tenant_id), array_agg(id), array_agg(version) FROM u
    HAVING count(*) > 0)${COUNT_COMPLETED}
  SELECT array_agg(u.ord::int), array_agg(u.version),
    array_agg(u.limit_key) FILTER (WHERE u.limit_key IS NOT NULL)
  INTO v_ords, v_versions, v_keys FROM u;
  IF v_keys IS NOT NULL THEN PERFORM pawl.admit_v1(v_keys, v_now); END IF;
  RETURN QUERY SELECT v_ords, v_versions, v_ms;
END $$;`;

export const ALIKE_FUNCTIONS: readonly string[] = [INSERT_ALIKE, COMPLETE_ALIKE];
