CREATE TYPE event_row AS (
  tenant int, id uuid, version int, note int, kind int2, at int8, lifecycle int, from_state int2,
  to_state int2, phase int2, epoch int, attempt int, retry_count int, progress real, stage text,
  message text, actor text, cause text, payload json
);

-- Where the entries of a job stand in the log, those after a version: the latest, and of the older
-- ones so many parts that a page of p_limit has no gap before its end.
CREATE FUNCTION positions_of(p_tenant int, p_id uuid, p_version int, p_limit int) RETURNS int8[]
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_ns int8[];
BEGIN
  SELECT array_remove(ARRAY[j.born_n, j.claim_n] || j.more_n, NULL) INTO v_ns
  FROM live j WHERE j.id = p_id AND j.tenant = p_tenant;
  IF NOT FOUND THEN
    SELECT array_remove(ARRAY[e.born_n, e.claim_n, e.end_n] || e.more_n, NULL) INTO v_ns
    FROM ended_by_id(ARRAY[p_id]) e WHERE e.tenant = p_tenant;
    v_ns := v_ns || ARRAY(SELECT a.n FROM annotations a WHERE a.id = p_id AND a.tenant = p_tenant);
  END IF;
  RETURN v_ns || ARRAY(SELECT unnest(x.ns) FROM (SELECT p.ns FROM positions p
    WHERE p.id = p_id AND p.tenant = p_tenant AND p.last_version > p_version
    ORDER BY p.last_version LIMIT p_limit / 30 + 2) x);
END $$;

-- The part of an entry that belongs to one job; of one that was created and queued at once both.
CREATE FUNCTION events_in(w log, p_id uuid) RETURNS SETOF event_row LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE r event_row; i int := array_position(w.jobs, p_id); t log_texts;
BEGIN
  IF w.has_texts THEN
    SELECT * INTO t FROM log_texts t WHERE t.n = w.n AND t.id = p_id;
    IF NOT FOUND THEN SELECT * INTO t FROM log_texts_carried t WHERE t.n = w.n AND t.id = p_id; END IF;
  END IF;
  r := ROW(w.tenant, p_id, coalesce(w.versions[i], w.versions[1]), 0, w.kind, ms(w.ts), w.lifecycle,
    w.from_state, w.to_state, w.phase, coalesce(w.epochs[i], w.epochs[1]),
    coalesce(w.attempts[i], w.attempts[1]), coalesce(w.retries[i], w.retries[1]),
    coalesce(w.progress[i], w.progress[1]), t.stage, t.message, w.actor, t.cause, t.payload);
  IF w.via_state IS NOT NULL THEN
    r.version := 1; r.to_state := w.via_state;
    r.phase := (SELECT l.initial_phase FROM lifecycles l WHERE l.number = w.lifecycle);
    RETURN NEXT r;
    r.version := 2; r.kind := 2; r.from_state := w.via_state; r.to_state := w.to_state;
    r.phase := w.phase;
  END IF;
  RETURN NEXT r;
END $$;

-- Entries of the log by their numbers, those that outlived it too. What was carried on stays in the
-- log until its partition is gone, and is told once: in one statement, lest it goes in between.
CREATE FUNCTION entries(p_ns int8[]) RETURNS SETOF log LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE v_first int8 := (SELECT min(n) FROM unnest(p_ns) n);
  v_last int8 := (SELECT max(n) FROM unnest(p_ns) n);
BEGIN
  RETURN QUERY SELECT w.* FROM log w WHERE w.n = ANY (p_ns) AND w.n >= v_first AND w.n <= v_last
  UNION ALL SELECT c.* FROM log_carried c WHERE c.n = ANY (p_ns)
    AND NOT EXISTS (SELECT FROM log w WHERE w.n = c.n);
END $$;

-- A job's events and notes in the order (version, note).
CREATE FUNCTION history(p_tenant int, p_id uuid, p_version int, p_note int, p_limit int,
  p_has_notes boolean) RETURNS SETOF event_row LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- Notes of a job that retention took may lie here until their partition goes.
  IF NOT job_exists(p_tenant, p_id) THEN RETURN; END IF;
  RETURN QUERY
  SELECT h.* FROM (
    SELECT r.* FROM entries(positions_of(p_tenant, p_id, p_version, p_limit)) w
      CROSS JOIN LATERAL events_in(w, p_id) r
    WHERE w.tenant = p_tenant AND r.version > p_version
    UNION ALL
    (SELECT o.tenant, o.id, o.version, o.note, o.kind, ms(o.ts), o.lifecycle, o.state, o.state,
      o.phase, o.epoch, o.attempt, o.retry_count, o.progress, o.stage, o.message, o.actor,
      NULL::text, o.payload
    FROM notes o WHERE p_has_notes AND o.id = p_id AND o.tenant = p_tenant
      AND (o.version, o.note) > (p_version, p_note)
    ORDER BY o.version, o.note LIMIT p_limit)) h
  ORDER BY h.version, h.note LIMIT p_limit;
END $$;

-- The entry of a row of the log, for readers of the tail.
CREATE FUNCTION tail_entry(w log) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_array(ms(w.ts), w.tenant, w.lane, w.lifecycle, w.kind, w.from_state,
    w.via_state, w.to_state, w.phase, w.actor, w.jobs, w.versions, w.epochs, w.attempts, w.retries,
    w.progress, CASE WHEN w.has_texts THEN (
      SELECT json_agg(json_build_array(t.id, t.stage, t.message, t.cause, t.payload))
      FROM log_texts t WHERE t.n = w.n) END)
$$;

-- Whether a job among these may have been born behind a gate, as far as its id tells.
CREATE FUNCTION has_gated(p_jobs uuid[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT EXISTS (SELECT FROM unnest(p_jobs) x WHERE get_byte(uuid_send(x), 6) & 240 = 128
    AND get_byte(uuid_send(x), 8) & 240 = 144)
$$;

-- Entries with certain events or into certain phases (a bit for each), after one number and up to
-- another. `p_gated_…` are wanted of jobs that may have been born behind a gate.
CREATE FUNCTION tail_of(p_from int8, p_to int8, p_limit int, p_kinds int, p_phases int,
  p_gated_kinds int, p_gated_phases int)
RETURNS TABLE (n int8, entry json, note json) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- One that was created and queued at once (via_state) tells both: code 2, by way of rank 0.
  RETURN QUERY SELECT w.n, tail_entry(w), NULL::json FROM log w
    CROSS JOIN LATERAL (SELECT 1 << w.kind | CASE WHEN w.via_state IS NULL THEN 0 ELSE 4 END,
      1 << w.phase | CASE WHEN w.via_state IS NULL THEN 0 ELSE 1 END) b(kinds, phases)
  WHERE w.n >= p_from AND w.n <= p_to
    AND (b.kinds & p_kinds <> 0 OR b.phases & p_phases <> 0
      OR ((b.kinds & p_gated_kinds <> 0 OR b.phases & p_gated_phases <> 0) AND has_gated(w.jobs)))
  ORDER BY w.n LIMIT p_limit;
END $$;

-- Entries and notes of everybody, after one number and up to another, in the order of the numbers.
CREATE FUNCTION tail(p_from int8, p_to int8, p_limit int)
RETURNS TABLE (n int8, entry json, note json) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.n, x.entry, x.note FROM (
    (SELECT w.n, tail_entry(w) AS entry, NULL::json AS note, NULL::uuid AS id, 0 AS place
      FROM log w WHERE w.n >= p_from AND w.n <= p_to ORDER BY w.n LIMIT p_limit)
    UNION ALL
    (SELECT o.n, NULL, json_build_array(ms(o.ts), o.tenant, o.lane, o.lifecycle, o.kind, o.state,
        o.phase, o.actor, o.id, o.version, o.note, o.epoch, o.attempt, o.retry_count, o.progress,
        o.stage, o.message, o.payload), o.id, o.note
      FROM notes o WHERE o.n >= p_from AND o.n <= p_to
      ORDER BY o.n, o.id, o.note LIMIT p_limit)) x
  ORDER BY x.n, x.id, x.place LIMIT p_limit;
END $$;

-- What entries did to how many jobs, and an even sample of those that began or ended.
CREATE FUNCTION entry_counts(p_from int8, p_to int8, p_limit int, p_sample int)
RETURNS TABLE (n int8, at int8, lane int, kind int2, phase int2, count int, jobs json)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT w.n, ms(w.ts), w.lane, w.kind, w.phase, cardinality(w.jobs),
    CASE WHEN w.phase < 3 OR w.phase = 4 THEN NULL
      WHEN cardinality(w.jobs) <= p_sample THEN to_json(w.jobs)
      ELSE (SELECT json_agg(w.jobs[1 + (i * cardinality(w.jobs)) / p_sample])
        FROM generate_series(0, p_sample - 1) i) END
  FROM log w WHERE w.n >= p_from AND w.n <= p_to ORDER BY w.n LIMIT p_limit;
END $$;
CREATE FUNCTION job_times(p_ids uuid[])
RETURNS TABLE (id uuid, tenant int, run_at int8, started_at int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT j.id, j.tenant, ms(j.run_at), ms(j.started_at) FROM live j
  WHERE j.id = ANY (p_ids);
  RETURN QUERY SELECT e.id, e.tenant, ms(coalesce(e.run_at, f.created_at)), ms(e.started_at)
  FROM ended_by_id(p_ids) e JOIN facts_by_id(p_ids) f ON f.id = e.id AND f.tenant = e.tenant;
END $$;

-- What readers of the log filter and trace by.
CREATE FUNCTION labels(p_ids uuid[])
RETURNS TABLE (id uuid, tenant int, correlation_id text, trace_id text, awaited_by uuid, wait text,
  wait_key text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT f.id, f.tenant, f.correlation_id, f.trace_id, f.awaited_by, f.wait, f.wait_key
  FROM facts_by_id(p_ids) f;
END $$;

-- The log's name, where its readers may begin and where they must stop.
CREATE FUNCTION log_state(OUT incarnation text, OUT floor int8, OUT start int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_home text;
BEGIN
  floor := log_floor();
  SELECT m.tail_from, m.log, m.home INTO start, incarnation, v_home FROM meta m;
  IF v_home <> home_now() THEN PERFORM on_log(NULL); END IF;
  start := greatest(start, (SELECT min(p.low::int8) FROM partitions p
    WHERE p.parent = 'log' AND NOT p.is_closed));
END $$;

-- Up to which number the log of this name said the same as this one; none where it is no former name.
CREATE FUNCTION log_before(p_log text) RETURNS SETOF int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT t.last_n FROM timelines t WHERE t.previous = p_log;
END $$;

-- Remembers that a reader was told of entries up to there which a former log had, for the doctor.
CREATE FUNCTION note_lost(p_log text, p_to int8) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  UPDATE timelines t SET lost_to = p_to WHERE t.previous = p_log AND coalesce(t.lost_to, 0) < p_to;
END $$;

-- Whether an event of a job lies in that part of a former log.
CREATE FUNCTION is_kept(p_log text, p_tenant int, p_id uuid, p_version int, p_note int)
RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_last int8 := (SELECT t.last_n FROM timelines t WHERE t.previous = p_log);
BEGIN
  RETURN CASE WHEN p_note > 0 THEN EXISTS (SELECT FROM notes o WHERE o.id = p_id
      AND o.tenant = p_tenant AND o.version = p_version AND o.note = p_note AND o.n <= v_last)
    ELSE EXISTS (SELECT FROM entries(positions_of(p_tenant, p_id, p_version - 1, 1)) w
      CROSS JOIN LATERAL events_in(w, p_id) r
      WHERE w.tenant = p_tenant AND r.version = p_version AND w.n <= v_last) END;
END $$;

-- For how long the oldest entry has waited that readers cannot see yet, in milliseconds.
CREATE FUNCTION tail_lag(p_now float8, OUT ms int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_floor int8 := log_floor();
BEGIN
  SELECT ms(clock(p_now)) - ms(min(x.ts)) INTO tail_lag.ms FROM (
    SELECT w.ts FROM log w WHERE w.n > v_floor ORDER BY w.n LIMIT 1000) x;
END $$;
