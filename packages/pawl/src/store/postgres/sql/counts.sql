-- How many jobs stand where, of one tenant or of all: those that are owned all, of every other line
-- the first p_max, so that a look costs the same however many wait. With p_queues, of one tenant's
-- queues that have jobs the first so many from p_from on, or after p_after.
CREATE FUNCTION counts(p_tenant int, p_max int, p_from text, p_after text, p_queues int)
RETURNS TABLE (lane int, lifecycle int, state int2, phase int2, is_high boolean, count int8,
  oldest int8, is_at_least boolean) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE v_lanes int[]; v_of int[]; v_found int := 0;
BEGIN
  IF p_queues IS NOT NULL THEN
    v_lanes := '{}';
    -- A cursor: the queues behind the last that is wanted are not looked at.
    FOR v_of IN SELECT array_agg(l.number) FROM lanes l WHERE l.tenant = p_tenant
      AND (p_from IS NULL OR l.queue COLLATE "C" >= p_from)
      AND (p_after IS NULL OR l.queue COLLATE "C" > p_after)
      GROUP BY l.queue ORDER BY l.queue COLLATE "C"
    LOOP
      EXIT WHEN v_found = p_queues;
      IF EXISTS (SELECT FROM unnest(v_of) o(number) WHERE EXISTS (
          SELECT FROM live j WHERE j.gate = 0 AND j.lane = o.number)
        OR EXISTS (SELECT FROM live j WHERE j.phase IN (2, 3) AND j.lane = o.number)
        OR EXISTS (SELECT FROM live j WHERE j.gate IS DISTINCT FROM 0 AND j.phase IN (0, 1, 4)
          AND j.tenant = p_tenant AND j.lane = o.number)) THEN
        v_lanes := v_lanes || v_of;
        v_found := v_found + 1;
      END IF;
    END LOOP;
  END IF;
  RETURN QUERY
  SELECT j.lane, j.lifecycle, j.state, j.phase, j.priority >= 100, count(*), ms(min(j.run_at)), false
  FROM live j WHERE j.phase IN (2, 3) AND (p_tenant IS NULL OR j.tenant = p_tenant)
    AND (v_lanes IS NULL OR j.lane = ANY (v_lanes))
  GROUP BY j.lane, j.lifecycle, j.state, j.phase, j.priority >= 100;
  RETURN QUERY
  SELECT l.number, c.* FROM lanes l CROSS JOIN LATERAL (
    SELECT f.lifecycle, f.state, f.phase, f.is_high, count(*), ms(min(f.run_at)),
      sum(count(*)) OVER () >= p_max
    FROM (SELECT j.lifecycle, j.state, j.phase, j.priority >= 100 AS is_high, j.run_at FROM live j
      WHERE j.gate = 0 AND j.lane = l.number ORDER BY j.rank_at, j.seq LIMIT p_max) f
    GROUP BY f.lifecycle, f.state, f.phase, f.is_high) c
  WHERE (p_tenant IS NULL OR l.tenant = p_tenant) AND (v_lanes IS NULL OR l.number = ANY (v_lanes));
  RETURN QUERY
  SELECT l.number, c.* FROM lanes l
  CROSS JOIN unnest('{0,1,4}'::int2[]) AS p(phase) CROSS JOIN LATERAL (
    SELECT f.lifecycle, f.state, p.phase, f.is_high, count(*), ms(min(f.run_at)),
      sum(count(*)) OVER () >= p_max
    FROM (SELECT j.lifecycle, j.state, j.priority >= 100 AS is_high, j.run_at FROM live j
      WHERE j.gate IS DISTINCT FROM 0 AND j.phase IN (0, 1, 4) AND j.phase = p.phase
        AND j.tenant = l.tenant AND j.lane = l.number LIMIT p_max) f
    GROUP BY f.lifecycle, f.state, f.is_high) c
  WHERE (p_tenant IS NULL OR l.tenant = p_tenant) AND (v_lanes IS NULL OR l.number = ANY (v_lanes));
END $$;

-- When the first entry of the log from a number on was written.
CREATE FUNCTION first_entry(p_from int8) RETURNS TABLE (at int8) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT ms(w.ts) FROM log w WHERE w.n >= p_from ORDER BY w.n LIMIT 1;
END $$;

-- The number of the last entry that is surely before a moment; null: there is none. Numbers and times
-- rise together, but for what overlaps: a minute is more than a verb may take.
CREATE FUNCTION last_before(p_at int8) RETURNS TABLE (n int8) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  -- Births do not count: a caller's transaction gives them a number long after their time.
  RETURN QUERY SELECT w.n FROM log w
  WHERE w.ts < at_ms(p_at) - interval '1 min' AND w.kind NOT IN (1, 2) ORDER BY w.n DESC LIMIT 1;
END $$;

-- How many jobs of a tenant stood where at a moment: those of now, with every entry since undone.
-- All that is read here is of one snapshot, in which jobs and log agree.
CREATE FUNCTION past(p_tenant int, p_at int8)
RETURNS TABLE (lane int, lifecycle int, state int2, count int8) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE v_from int8;
BEGIN
  SELECT b.n INTO v_from FROM last_before(p_at) b;
  RETURN QUERY WITH since AS (
    SELECT w.lane, w.lifecycle, w.from_state, w.to_state, w.phase, cardinality(w.jobs) AS jobs
    FROM log w WHERE w.n > coalesce(v_from, 0) AND w.ts >= at_ms(p_at + 1) AND w.tenant = p_tenant)
  SELECT x.lane, x.lifecycle, x.state, sum(x.jobs)::int8 FROM (
    SELECT j.lane, j.lifecycle, j.state, count(*) AS jobs FROM live j WHERE j.tenant = p_tenant
      GROUP BY j.lane, j.lifecycle, j.state
    UNION ALL SELECT s.lane, s.lifecycle, s.to_state, -s.jobs FROM since s WHERE s.phase < 5
    -- What is told of a job that has ended comes from where it leads to.
    UNION ALL SELECT s.lane, s.lifecycle, s.from_state, s.jobs FROM since s
      WHERE s.from_state IS NOT NULL AND (s.phase < 5 OR s.from_state <> s.to_state)) x
  GROUP BY x.lane, x.lifecycle, x.state HAVING sum(x.jobs) <> 0;
END $$;

-- How many jobs of a queue are ready and due, up to p_max.
CREATE FUNCTION depth(p_tenant int, p_queue text, p_max int) RETURNS int8 LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT count(*) FROM (
    (SELECT FROM lanes l JOIN live j ON j.lane = l.number AND j.gate = 0
      WHERE l.tenant = p_tenant AND l.queue = p_queue LIMIT p_max)
    UNION ALL (SELECT FROM lanes l JOIN live j ON j.tenant = l.tenant AND j.lane = l.number
        AND j.phase = 1 AND j.gate > 2 AND j.gate IS DISTINCT FROM 0 AND j.phase IN (0, 1, 4)
      WHERE l.tenant = p_tenant AND l.queue = p_queue LIMIT p_max) LIMIT p_max) d);
END $$;

-- How turns of each type have ended since a moment, from the newest entries of the log on.
CREATE FUNCTION turns_since(p_since int8)
RETURNS TABLE (tenant int, type text, at int8, succeeded int8, failed int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_from int8;
BEGIN
  -- Numbers and times rise together, but for what overlaps: a second before the first is enough.
  SELECT w.n INTO v_from FROM log w WHERE w.ts < at_ms(p_since) - interval '1 s'
  ORDER BY w.n DESC LIMIT 1;
  RETURN QUERY SELECT l.tenant, l.type, ms(w.ts) - ms(w.ts) % 1000,
    sum(cardinality(w.jobs)) FILTER (WHERE w.turn = 1),
    sum(cardinality(w.jobs)) FILTER (WHERE w.turn = 2)
  FROM log w JOIN lanes l ON l.number = w.lane
  WHERE w.n > coalesce(v_from, 0) AND w.turn IS NOT NULL AND ms(w.ts) - ms(w.ts) % 1000 >= p_since
  GROUP BY 1, 2, 3;
END $$;

-- Who is before a job in its line, who has the slots it waits for, and how fast things go.
CREATE FUNCTION standing(p_tenant int, p_id uuid, p_ahead_max int, p_holders_max int, p_recent_ms int8,
  p_now float8, OUT gate int2, OUT key text, OUT at int8, OUT next_at int8, OUT ahead int8,
  OUT ended int8, OUT in_queue int8, OUT in_type int8, OUT holders json) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE j live; k keys; l lanes;
BEGIN
  at := ms(clock(p_now));
  ahead := 0;
  SELECT * INTO l FROM lanes l WHERE l.number = lane_of(p_tenant, p_id);
  SELECT * INTO j FROM live j WHERE j.id = p_id AND j.tenant = p_tenant;
  SELECT * INTO k FROM keys k WHERE k.id = p_id AND k.tenant = p_tenant;
  gate := j.gate;
  key := CASE j.gate WHEN 3 THEN k.limit_key WHEN 4 THEN k.user_key WHEN 5 THEN k.organisation_key END;
  SELECT r.next_at INTO next_at FROM rate_levels r WHERE r.key = standing.key AND j.gate > 3;
  IF j.gate = 0 THEN
    ahead := (SELECT count(*) FROM (SELECT FROM live o WHERE o.gate = 0 AND o.lane = j.lane
      AND (o.rank_at, o.seq) < (j.rank_at, j.seq) LIMIT p_ahead_max) a);
  ELSIF j.gate = 3 THEN
    ahead := (SELECT count(*) FROM (SELECT FROM keys o WHERE o.gate = 3 AND o.limit_key = k.limit_key
      AND (o.rank_at, o.seq) < (k.rank_at, k.seq) LIMIT p_ahead_max) a);
    holders := (SELECT json_agg(json_build_object('id', h.id, 'owner', h.name)) FROM (
      SELECT o.id, w.name FROM keys o LEFT JOIN live x ON x.id = o.id AND x.tenant = o.tenant
      LEFT JOIN owners w ON w.number = x.owner
      WHERE o.limit_key = k.limit_key AND o.limit_key IS NOT NULL
        AND (o.gate IN (0, 4, 5) OR o.is_owned) ORDER BY o.seq LIMIT p_holders_max) h);
  ELSIF j.gate = 4 THEN
    ahead := (SELECT count(*) FROM (SELECT FROM keys o WHERE o.gate = 4 AND o.user_key = k.user_key
      AND (o.rank_at, o.seq) < (k.rank_at, k.seq) LIMIT p_ahead_max) a);
  ELSIF j.gate = 5 THEN
    ahead := (SELECT count(*) FROM (SELECT FROM keys o WHERE o.gate = 5
      AND o.organisation_key = k.organisation_key
      AND (o.rank_at, o.seq) < (k.rank_at, k.seq) LIMIT p_ahead_max) a);
  END IF;
  ended := (SELECT coalesce(sum(coalesce(t.succeeded, 0) + coalesce(t.failed, 0)), 0)
    FROM turns_since(at - p_recent_ms) t WHERE t.tenant = p_tenant AND t.type = l.type);
  in_queue := (SELECT count(*) FROM lanes o JOIN live x ON x.lane = o.number AND x.phase IN (2, 3)
    WHERE o.tenant = p_tenant AND o.queue = l.queue);
  in_type := (SELECT count(*) FROM lanes o JOIN live x ON x.lane = o.number AND x.phase IN (2, 3)
    WHERE o.tenant = p_tenant AND o.type = l.type);
END $$;

-- Facts of the last day without a row that says where the job stands or how it ended.
CREATE FUNCTION strays(p_limit int) RETURNS TABLE (tenant text, id uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT t.name, f.id FROM facts f JOIN tenants t ON t.number = f.tenant
  WHERE f.id >= id_at(clock_timestamp() - interval '1 day') AND t.left_for IS NULL
    AND NOT EXISTS (SELECT FROM live j WHERE j.id = f.id AND j.tenant = f.tenant)
    AND NOT EXISTS (SELECT FROM ended e WHERE e.id = f.id AND e.tenant = f.tenant)
    AND NOT EXISTS (SELECT FROM ended_other e WHERE e.id = f.id AND e.tenant = f.tenant)
  LIMIT p_limit;
END $$;

-- Jobs that failed or are dead, have no record of this kind and were not run again, by type.
CREATE FUNCTION failed_types(p_max int, p_kind text) RETURNS TABLE (type text, count int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT l.type, count(*) FROM (
    SELECT e.id, e.tenant FROM (
      SELECT id, tenant, phase FROM ended WHERE phase IN (6, 8) AND phase > 5
      UNION ALL SELECT id, tenant, phase FROM ended_other WHERE phase IN (6, 8) AND phase > 5) e
    WHERE NOT EXISTS (SELECT FROM records r JOIN tenants t ON t.name = r.tenant
        WHERE r.job_id = e.id::text AND t.number = e.tenant AND r.kind = p_kind)
      AND NOT EXISTS (SELECT FROM facts c WHERE c.tenant = e.tenant AND c.parent_job_id = e.id
        AND c.parent_kind = 1)
      AND NOT EXISTS (SELECT FROM facts_other c WHERE c.tenant = e.tenant
        AND c.parent_job_id = e.id AND c.parent_kind = 1)
    LIMIT p_max) failed
  CROSS JOIN LATERAL facts_by_id(ARRAY[failed.id]) f JOIN lanes l ON l.number = f.lane
  WHERE f.tenant = failed.tenant GROUP BY l.type ORDER BY l.type;
END $$;
