-- A job as it travels. Times are milliseconds.
CREATE TYPE job_row AS (
  ord int, id uuid, tenant int, lane int, policy int, lifecycle int, state int2, phase int2,
  gate int2, epoch int, version int, priority int, run_at int8, deadline_at int8, attempts int,
  retry_count int, backoff_ms int8, progress real, stage text, message text, owner text, token int8,
  lease_expiry int8, cancel_mode int2, cancel_reason text, created_at int8, updated_at int8,
  started_at int8, completed_at int8, error json, input json, result json, checkpoint json,
  metadata json, correlation_id text, trace_id text, requested_by text, limit_key text,
  parent_job_id uuid, parent_kind int2, document_id text, fingerprint text
);

-- The facts of some jobs, wherever they lie. Of the partitions only those are looked into that lie
-- between the first and the last id: a plan made once cannot know them by the ids alone.
CREATE FUNCTION facts_by_id(p_ids uuid[]) RETURNS SETOF facts LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE v_first uuid; v_last uuid;
BEGIN
  SELECT x INTO v_first FROM unnest(p_ids) x WHERE x IS NOT NULL ORDER BY x LIMIT 1;
  SELECT x INTO v_last FROM unnest(p_ids) x WHERE x IS NOT NULL ORDER BY x DESC LIMIT 1;
  RETURN QUERY SELECT f.* FROM facts f
  WHERE f.id = ANY (p_ids) AND f.id >= v_first AND f.id <= v_last;
  RETURN QUERY SELECT f.* FROM facts_other f WHERE f.id = ANY (p_ids);
END $$;
CREATE FUNCTION ended_by_id(p_ids uuid[]) RETURNS SETOF ended LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE v_first uuid; v_last uuid;
BEGIN
  SELECT x INTO v_first FROM unnest(p_ids) x WHERE x IS NOT NULL ORDER BY x LIMIT 1;
  SELECT x INTO v_last FROM unnest(p_ids) x WHERE x IS NOT NULL ORDER BY x DESC LIMIT 1;
  RETURN QUERY SELECT e.* FROM ended e
  WHERE e.id = ANY (p_ids) AND e.id >= v_first AND e.id <= v_last;
  RETURN QUERY SELECT e.* FROM ended_other e WHERE e.id = ANY (p_ids);
END $$;

CREATE FUNCTION read_live(p_tenants int[], p_ids uuid[]) RETURNS SETOF job_row
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.ord::int, f.id, f.tenant, f.lane, f.policy, f.lifecycle, j.state, j.phase,
    j.gate, j.epoch, j.version, f.priority, ms(j.run_at), ms(f.deadline_at), j.attempts,
    j.retry_count, j.backoff_ms, j.progress, d.stage, d.message,
    (SELECT o.name FROM owners o WHERE o.number = j.owner), j.token, ms(j.lease_expiry),
    j.cancel_mode, d.cancel_reason, ms(f.created_at), ms(j.updated_at), ms(j.started_at), NULL::int8,
    d.error, coalesce(d.input, f.input), NULL::json, d.checkpoint, f.metadata, f.correlation_id,
    f.trace_id, f.requested_by, f.limit_key, f.parent_job_id, f.parent_kind, f.document_id, NULL::text
  FROM unnest(p_tenants, p_ids) WITH ORDINALITY AS x(tenant, id, ord)
  JOIN live j ON j.id = ANY (ARRAY[x.id]) AND j.tenant = x.tenant
  JOIN facts_by_id(p_ids) f ON f.id = x.id AND f.tenant = x.tenant
  LEFT JOIN details d ON j.flags & 4 > 0 AND d.id = ANY (ARRAY[x.id]) AND d.tenant = x.tenant;
END $$;
CREATE FUNCTION read_ended(p_tenants int[], p_ids uuid[]) RETURNS SETOF job_row
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.ord::int, f.id, f.tenant, f.lane, f.policy, f.lifecycle, e.state, e.phase,
    NULL::int2, e.epoch, coalesce(a.version, e.version), f.priority,
    ms(coalesce(e.run_at, f.created_at)), ms(f.deadline_at), e.attempts, e.retry_count, e.backoff_ms,
    e.progress, d.stage, d.message, NULL::text, NULL::int8, NULL::int8, NULL::int2, NULL::text,
    ms(f.created_at), ms(coalesce(a.at, e.completed_at)), ms(e.started_at), ms(e.completed_at),
    d.error, coalesce(d.input, f.input), e.result, d.checkpoint, f.metadata, f.correlation_id,
    f.trace_id, f.requested_by, f.limit_key, f.parent_job_id, f.parent_kind, f.document_id,
    e.fingerprint
  FROM unnest(p_tenants, p_ids) WITH ORDINALITY AS x(tenant, id, ord)
  JOIN ended_by_id(p_ids) e ON e.id = x.id AND e.tenant = x.tenant
  JOIN facts_by_id(p_ids) f ON f.id = x.id AND f.tenant = x.tenant
  LEFT JOIN details d ON e.flags & 4 > 0 AND d.id = ANY (ARRAY[x.id]) AND d.tenant = x.tenant
  LEFT JOIN LATERAL (SELECT o.version, o.at FROM annotations o
    WHERE o.id = x.id AND o.tenant = x.tenant ORDER BY o.version DESC LIMIT 1) a ON true;
END $$;
-- Jobs by tenant and id. The live are read before the ended, in statements of their own: a job that
-- ends in between is found as ended; the other way round it would not be found at all.
CREATE FUNCTION read_jobs(p_tenants int[], p_ids uuid[]) RETURNS SETOF job_row
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE v_live int;
BEGIN
  RETURN QUERY SELECT * FROM read_live(p_tenants, p_ids);
  GET DIAGNOSTICS v_live = ROW_COUNT;
  IF v_live = cardinality(p_ids) THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM read_ended(p_tenants, p_ids);
END $$;

-- Owned jobs whose lease has run out, the longest ago first.
CREATE FUNCTION expired(p_limit int, p_now float8) RETURNS SETOF job_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_tenants int[]; v_ids uuid[];
BEGIN
  SELECT array_agg(x.tenant), array_agg(x.id) INTO v_tenants, v_ids FROM (
    SELECT j.tenant, j.id FROM live j WHERE j.phase IN (2, 3) AND j.lease_expiry <= v_now
    ORDER BY j.lease_expiry, j.seq LIMIT p_limit) x;
  IF v_ids IS NOT NULL THEN RETURN QUERY SELECT * FROM read_live(v_tenants, v_ids) ORDER BY ord; END IF;
END $$;

-- Due jobs that the engine has to requeue, the longest due first.
CREATE FUNCTION to_requeue(p_limit int, p_now float8) RETURNS SETOF job_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_tenants int[]; v_ids uuid[];
BEGIN
  SELECT array_agg(x.tenant), array_agg(x.id) INTO v_tenants, v_ids FROM (
    SELECT j.tenant, j.id FROM live j WHERE j.gate = 2 AND j.run_at <= v_now
    ORDER BY j.run_at, j.seq LIMIT p_limit) x;
  IF v_ids IS NOT NULL THEN RETURN QUERY SELECT * FROM read_live(v_tenants, v_ids) ORDER BY ord; END IF;
END $$;

-- Jobs in one of these places (lifecycle, state, phase) whose deadline has come.
CREATE FUNCTION overdue(p_lifecycles int[], p_states int2[], p_phases int2[], p_limit int,
  p_now float8) RETURNS SETOF job_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_tenants int[]; v_ids uuid[];
BEGIN
  SELECT array_agg(x.tenant), array_agg(x.id) INTO v_tenants, v_ids FROM (
    SELECT j.tenant, j.id FROM live j WHERE j.deadline_at <= v_now
      AND (j.lifecycle, j.state, j.phase) IN (
        SELECT * FROM unnest(p_lifecycles, p_states, p_phases))
    ORDER BY j.deadline_at, j.seq LIMIT p_limit) x;
  IF v_ids IS NOT NULL THEN RETURN QUERY SELECT * FROM read_live(v_tenants, v_ids) ORDER BY ord; END IF;
END $$;

-- The jobs that these owners hold, of each the first by id.
CREATE FUNCTION owned(p_owners text[], p_tenant int, p_max int)
RETURNS TABLE (owner text, tenant int, id uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT o.name, j.tenant, j.id
  FROM owners o CROSS JOIN LATERAL (
    SELECT j.tenant, j.id FROM live j WHERE j.phase IN (2, 3) AND j.owner = o.number
      AND (p_tenant IS NULL OR j.tenant = p_tenant)
    ORDER BY j.id LIMIT p_max) j
  WHERE o.name = ANY (p_owners);
END $$;
