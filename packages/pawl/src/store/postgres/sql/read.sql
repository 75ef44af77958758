-- A job as it travels, times in milliseconds. What is short goes as one column: each further one
-- costs a call that reads a single job about a hundredth of its time.
CREATE TYPE job_part AS (
  id uuid, tenant int, lane int, policy int, lifecycle int, state int2, phase int2, epoch int,
  version int, priority int, run_at int8, deadline_at int8, attempts int, retry_count int,
  backoff_ms int8, revision text, is_pinned boolean, progress real, stage text, message text, owner text, lease_expiry int8,
  cancel_mode int2, cancel_reason text, created_at int8, updated_at int8, started_at int8,
  completed_at int8, labels job_labels
);
CREATE TYPE job_row AS (
  job job_part, error json, input json, result json, checkpoint json, metadata json
);

-- Both are expressions to the planner: nothing is called.
CREATE FUNCTION live_part(j live, f facts, d details, p_owner text) RETURNS job_part
LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(f.id, f.tenant, f.lane, f.policy, f.lifecycle, j.state, j.phase, j.epoch, j.version,
    f.priority, ms(j.run_at), ms(f.deadline_at), j.attempts, j.retry_count, j.backoff_ms, j.revision,
    j.flags & 32 > 0, j.progress,
    d.stage, d.message, p_owner, ms(j.lease_expiry), j.cancel_mode, d.cancel_reason,
    ms(f.created_at), ms(j.updated_at), ms(j.started_at), NULL,
    labels_of(f))::job_part
$$;
CREATE FUNCTION ended_part(e ended, f facts, d details, p_version int, p_at timestamptz)
RETURNS job_part LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(f.id, f.tenant, f.lane, f.policy, f.lifecycle, e.state, e.phase, e.epoch,
    coalesce(p_version, e.version), f.priority, ms(coalesce(e.run_at, f.created_at)),
    ms(f.deadline_at), e.attempts, e.retry_count, e.backoff_ms, e.revision, e.flags & 32 > 0, e.progress, d.stage, d.message, NULL,
    NULL, NULL, NULL, ms(f.created_at), ms(coalesce(p_at, e.completed_at)), ms(e.started_at),
    ms(e.completed_at), labels_of(f))::job_part
$$;

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

-- Jobs that have not ended, of whatever tenant, by ids in ascending order. The first and the last id
-- name the partitions; each table is read once by all the ids, and hash joins put the rows together.
CREATE FUNCTION read_live(p_ids uuid[]) RETURNS SETOF job_row LANGUAGE plpgsql
SET enable_nestloop = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE v_first uuid := p_ids[1]; v_last uuid := p_ids[cardinality(p_ids)];
BEGIN
  RETURN QUERY SELECT live_part(j, f, d, (SELECT o.name FROM owners o WHERE o.number = j.owner)),
    d.error, coalesce(d.input, f.input), NULL::json, d.checkpoint, f.metadata
  FROM live j JOIN facts f ON f.id = j.id AND f.tenant = j.tenant
  LEFT JOIN details d ON d.id = j.id AND d.tenant = j.tenant AND d.id = ANY (p_ids)
  WHERE j.id = ANY (p_ids) AND f.id = ANY (p_ids) AND f.id >= v_first AND f.id <= v_last;
  IF NOT EXISTS (SELECT FROM facts_other f WHERE f.id = ANY (p_ids)) THEN RETURN; END IF;
  RETURN QUERY SELECT live_part(j, ROW(f.*)::facts, d,
      (SELECT o.name FROM owners o WHERE o.number = j.owner)),
    d.error, coalesce(d.input, f.input), NULL::json, d.checkpoint, f.metadata
  FROM live j JOIN facts_other f ON f.id = j.id AND f.tenant = j.tenant
  LEFT JOIN details d ON d.id = j.id AND d.tenant = j.tenant AND d.id = ANY (p_ids)
  WHERE j.id = ANY (p_ids) AND f.id = ANY (p_ids);
END $$;

-- The same of jobs that have ended.
CREATE FUNCTION read_ended(p_ids uuid[]) RETURNS SETOF job_row LANGUAGE plpgsql
SET enable_nestloop = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE v_first uuid := p_ids[1]; v_last uuid := p_ids[cardinality(p_ids)];
BEGIN
  RETURN QUERY SELECT ended_part(e, f, d, a.version, a.at), d.error, coalesce(d.input, f.input),
    e.result, d.checkpoint, f.metadata
  FROM ended e JOIN facts f ON f.id = e.id AND f.tenant = e.tenant
  LEFT JOIN details d ON d.id = e.id AND d.tenant = e.tenant AND d.id = ANY (p_ids)
  LEFT JOIN (SELECT DISTINCT ON (o.id, o.tenant) o.* FROM annotations o WHERE o.id = ANY (p_ids)
    ORDER BY o.id, o.tenant, o.version DESC) a ON a.id = e.id AND a.tenant = e.tenant
  WHERE e.id = ANY (p_ids) AND e.id >= v_first AND e.id <= v_last
    AND f.id = ANY (p_ids) AND f.id >= v_first AND f.id <= v_last;
  IF NOT EXISTS (SELECT FROM facts_other f WHERE f.id = ANY (p_ids)) THEN RETURN; END IF;
  RETURN QUERY SELECT ended_part(ROW(e.*)::ended, ROW(f.*)::facts, d, a.version, a.at), d.error,
    coalesce(d.input, f.input), e.result, d.checkpoint, f.metadata
  FROM ended_other e JOIN facts_other f ON f.id = e.id AND f.tenant = e.tenant
  LEFT JOIN details d ON d.id = e.id AND d.tenant = e.tenant AND d.id = ANY (p_ids)
  LEFT JOIN (SELECT DISTINCT ON (o.id, o.tenant) o.* FROM annotations o WHERE o.id = ANY (p_ids)
    ORDER BY o.id, o.tenant, o.version DESC) a ON a.id = e.id AND a.tenant = e.tenant
  WHERE e.id = ANY (p_ids) AND f.id = ANY (p_ids);
END $$;

-- Jobs of some tenants by their ids, which come in ascending order. The live are read before the
-- ended, and of each the partitions before the table beside them, in statements of their own: so do
-- jobs move, and one that moves in between is found later. The other way round it would be missed.
-- With the key of a single job as constants every table is one look-up, the time in the id leaves
-- one partition, and details are looked for only where a flag says that there are some.
CREATE FUNCTION read_jobs(p_tenants int[], p_ids uuid[]) RETURNS SETOF job_row
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE v_tenant int := p_tenants[1]; v_id uuid := p_ids[1]; v_found int;
BEGIN
  IF cardinality(p_ids) = 1 AND cardinality(p_tenants) = 1 THEN
    PERFORM FROM live j WHERE j.id = v_id AND j.tenant = v_tenant;
    IF FOUND THEN
      RETURN QUERY SELECT live_part(j, f, d, (SELECT o.name FROM owners o WHERE o.number = j.owner)),
        d.error, coalesce(d.input, f.input), NULL::json, d.checkpoint, f.metadata
      FROM live j JOIN facts f ON f.id = v_id AND f.tenant = v_tenant
      LEFT JOIN details d ON j.flags & 4 > 0 AND d.id = v_id AND d.tenant = v_tenant
      WHERE j.id = v_id AND j.tenant = v_tenant;
      IF FOUND THEN RETURN; END IF;
    END IF;
    RETURN QUERY SELECT ended_part(e, f, d, a.version, a.at), d.error, coalesce(d.input, f.input),
      e.result, d.checkpoint, f.metadata
    FROM ended e JOIN facts f ON f.id = v_id AND f.tenant = v_tenant
    LEFT JOIN details d ON e.flags & 4 > 0 AND d.id = v_id AND d.tenant = v_tenant
    LEFT JOIN LATERAL (SELECT o.version, o.at FROM annotations o WHERE o.id = v_id
      AND o.tenant = v_tenant ORDER BY o.version DESC LIMIT 1) a ON true
    WHERE e.id = v_id AND e.tenant = v_tenant;
    IF FOUND THEN RETURN; END IF;
  END IF;
  RETURN QUERY SELECT * FROM read_live(p_ids) r WHERE (r.job).tenant = ANY (p_tenants);
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found = cardinality(p_ids) AND cardinality(p_tenants) = 1 THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM read_ended(p_ids) r WHERE (r.job).tenant = ANY (p_tenants);
END $$;

-- The phases alone, in the same order of statements.
CREATE FUNCTION read_phases(p_tenants int[], p_ids uuid[])
RETURNS TABLE (id uuid, tenant int, phase int2) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE v_found int;
BEGIN
  RETURN QUERY SELECT j.id, j.tenant, j.phase FROM live j
  WHERE j.id = ANY (p_ids) AND j.tenant = ANY (p_tenants);
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found = cardinality(p_ids) AND cardinality(p_tenants) = 1 THEN RETURN; END IF;
  RETURN QUERY SELECT e.id, e.tenant, e.phase FROM ended_by_id(p_ids) e
  WHERE e.tenant = ANY (p_tenants);
END $$;

-- Jobs that a sweep found, in its order.
CREATE FUNCTION swept(p_tenants int[], p_ids uuid[]) RETURNS SETOF job_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_ids uuid[] := ARRAY(SELECT x FROM unnest(p_ids) x ORDER BY x);
BEGIN
  IF p_ids IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT r.* FROM unnest(p_tenants, p_ids) WITH ORDINALITY AS x(tenant, id, ord)
  JOIN read_live(v_ids) r ON (r.job).id = x.id AND (r.job).tenant = x.tenant ORDER BY x.ord;
END $$;

-- Owned jobs whose lease has run out, the longest ago first.
CREATE FUNCTION expired(p_limit int, p_now float8) RETURNS SETOF job_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_tenants int[]; v_ids uuid[];
BEGIN
  SELECT array_agg(x.tenant), array_agg(x.id) INTO v_tenants, v_ids FROM (
    SELECT j.tenant, j.id FROM live j WHERE j.phase IN (2, 3) AND j.lease_expiry <= v_now
    ORDER BY j.lease_expiry, j.seq LIMIT p_limit) x;
  RETURN QUERY SELECT * FROM swept(v_tenants, v_ids);
END $$;

-- Due jobs that the engine has to requeue, the longest due first.
CREATE FUNCTION to_requeue(p_limit int, p_now float8) RETURNS SETOF job_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_tenants int[]; v_ids uuid[];
BEGIN
  SELECT array_agg(x.tenant), array_agg(x.id) INTO v_tenants, v_ids FROM (
    SELECT j.tenant, j.id FROM live j WHERE j.gate = 2 AND j.run_at <= v_now
    ORDER BY j.run_at, j.seq LIMIT p_limit) x;
  RETURN QUERY SELECT * FROM swept(v_tenants, v_ids);
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
  RETURN QUERY SELECT * FROM swept(v_tenants, v_ids);
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
