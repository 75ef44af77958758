-- A new job on its way in. Payloads come as text: inside JSON they would be read, and changed.
CREATE TYPE new_job AS (
  ord int, is_other boolean, tenant int, id uuid, lane int, type text, lifecycle int, policy int,
  state int2, phase int2, via_state int2, version int, priority int, run_at float8,
  deadline_at float8, input text, stages text, metadata text, labels job_labels, actor text,
  key text, payload_hash text, window_ms float8,
  slot_key text, user_key text, organisation_key text, active_key text,
  unique_key text, unique_mode text, unique_window_ms float8, unique_wait_ms float8
);

CREATE FUNCTION rank_of(p_run_at timestamptz, p_priority int) RETURNS int8
LANGUAGE sql IMMUTABLE AS $$ SELECT ms(p_run_at) - p_priority * 30000::int8 $$;

-- Where a due job waits, by the first key that it has.
CREATE FUNCTION gate_when_due(p_slot text, p_user text, p_organisation text) RETURNS int2
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_slot IS NOT NULL THEN 3 WHEN p_user IS NOT NULL THEN 4
    WHEN p_organisation IS NOT NULL THEN 5 ELSE 0 END::int2
$$;

CREATE FUNCTION check_lane(p_lane int, p_policy int) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM stay(l.tenant) FROM lanes l WHERE l.number = p_lane;
  IF NOT EXISTS (
    SELECT FROM lanes l, policies p WHERE l.number = p_lane AND p.number = p_policy)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'PW101',
      MESSAGE = format('lane %s or policy %s is not known here', p_lane, p_policy);
  END IF;
END $$;

-- Many jobs that differ in nothing but their own (id, input, and what p_own lists) and have no key
-- that somebody else could hold. A taken id fails the whole, to be done one by one.
CREATE FUNCTION insert_many(p_common json, p_ids uuid[], p_inputs json, p_own json,
  p_is_late boolean, p_now float8, p_call int8 DEFAULT NULL, p_ords int[] DEFAULT NULL)
RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record; v_now timestamptz := clock(p_now); v_run timestamptz; v_gate int2; v_n int8;
  v_call int8 := coalesce(p_call, nextval('calls')); v_is_one boolean := cardinality(p_ids) = 1;
  v_void text;
BEGIN
  SELECT * INTO x FROM json_to_record(p_common) AS x(is_other boolean, tenant int, lane int,
    lifecycle int, policy int, state int2, phase int2, via_state int2, version int, priority int,
    run_at float8, deadline_at float8, actor text);
  IF json_array_length(p_inputs) <> cardinality(p_ids) THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'each job must have one input';
  END IF;
  v_void := pg_advisory_xact_lock_shared(tenants_lock(), x.tenant);
  v_run := coalesce(at_ms(x.run_at), v_now);
  v_gate := CASE WHEN x.phase = 1 THEN (v_run > v_now)::int END;
  IF x.is_other OR p_own IS NOT NULL THEN
    PERFORM insert_facts(p_common, p_ids, p_inputs, p_own, v_now);
  ELSIF v_is_one THEN
    -- Its input is cut out of the list as text: as a member of JSON it would be read, and changed.
    INSERT INTO facts (id, created_at, deadline_at, tenant, lane, policy, lifecycle, priority, input)
    VALUES (p_ids[1], v_now, at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, x.priority,
      substr(p_inputs::text, 2, length(p_inputs::text) - 2)::json);
  ELSE
    INSERT INTO facts (id, created_at, deadline_at, tenant, lane, policy, lifecycle, priority, input)
    SELECT y.id, v_now, at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, x.priority,
      y.input
    FROM ROWS FROM (unnest(p_ids), json_array_elements(p_inputs)) AS y(id, input);
  END IF;
  -- Whoever writes the entry sees that lane and policy are known here, and the tenant still lives here.
  IF p_is_late THEN
    INSERT INTO log_late
    SELECT nextval('calls'), v_now, x.tenant, x.lane, x.lifecycle, x.via_state, x.state, x.phase,
      x.actor, p_ids, x.version
    FROM lanes l, policies p, tenants t WHERE l.number = x.lane AND p.number = x.policy
      AND t.number = x.tenant AND t.left_for IS NULL;
  ELSE
    v_n := draw();
    INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, via_state, to_state, phase, has_texts,
      actor, jobs, versions, epochs, attempts, retries, progress)
    SELECT v_n, v_now, x.tenant, x.lane, x.lifecycle, 1, x.via_state, x.state, x.phase, false,
      x.actor, p_ids, ARRAY[x.version], '{1}', '{0}', '{0}', '{0}'
    FROM lanes l, policies p, tenants t WHERE l.number = x.lane AND p.number = x.policy
      AND t.number = x.tenant AND t.left_for IS NULL;
  END IF;
  IF NOT FOUND THEN PERFORM check_lane(x.lane, x.policy); END IF;
  IF v_is_one THEN
    INSERT INTO live (id, seq, rank_at, born_n, run_at, updated_at, deadline_at, tenant, lane, policy,
      lifecycle, epoch, version, notes, attempts, retry_count, priority, progress, state, phase, gate,
      flags)
    VALUES (p_ids[1], (v_call << 16) + coalesce(p_ords[1], 1), rank_of(v_run, x.priority), v_n, v_run,
      v_now, at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, 1, x.version, 0, 0, 0,
      x.priority, 0, x.state, x.phase, v_gate, x.is_other::int);
  ELSE
    INSERT INTO live (id, seq, rank_at, born_n, run_at, updated_at, deadline_at, tenant, lane, policy,
      lifecycle, epoch, version, notes, attempts, retry_count, priority, progress, state, phase, gate,
      flags)
    SELECT y.id, (v_call << 16) + coalesce(p_ords[y.ord], y.ord), rank_of(v_run, x.priority), v_n,
      v_run, v_now, at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, 1, x.version, 0, 0,
      0, x.priority, 0, x.state, x.phase, v_gate, x.is_other::int
    FROM unnest(p_ids) WITH ORDINALITY AS y(id, ord);
  END IF;
  RETURN ms(v_now);
END $$;

-- The facts of a set whose jobs have something of their own, or ids outside the partitions. They are
-- written by position: labels are the last columns of the table.
CREATE FUNCTION insert_facts(p_common json, p_ids uuid[], p_inputs json, p_own json,
  v_now timestamptz) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record;
BEGIN
  SELECT * INTO x FROM json_to_record(p_common) AS x(is_other boolean, tenant int, lane int,
    lifecycle int, policy int, priority int, deadline_at float8);
  WITH y AS (
    SELECT i.id, v_now AS created_at, at_ms(x.deadline_at) AS deadline_at, x.tenant, x.lane, x.policy,
      x.lifecycle, x.priority, o.metadata::json, i.input, (o.labels).*
    FROM ROWS FROM (unnest(p_ids), json_array_elements(p_inputs)) WITH ORDINALITY
      AS i(id, input, ord)
    LEFT JOIN json_populate_recordset(NULL::new_job, p_own) o ON o.ord = i.ord),
  f AS (INSERT INTO facts SELECT * FROM y WHERE NOT x.is_other)
  INSERT INTO facts_other SELECT * FROM y WHERE x.is_other;
END $$;

CREATE FUNCTION job_exists(p_tenant int, p_id uuid) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN EXISTS (SELECT FROM facts f WHERE f.id = p_id AND f.tenant = p_tenant)
    OR EXISTS (SELECT FROM facts_other f WHERE f.id = p_id AND f.tenant = p_tenant);
END $$;

-- Takes the idempotency key, or says which job has it. What a racer has just committed is seen
-- because each look is a statement of its own, made while the key is locked.
CREATE FUNCTION take_key(x new_job, v_now timestamptz, OUT kind text, OUT id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_key idempotency_keys; v_expiry timestamptz := v_now + x.window_ms * interval '1 ms';
BEGIN
  LOOP
    INSERT INTO idempotency_keys VALUES (x.tenant, x.key, x.payload_hash, x.id, v_expiry)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN RETURN; END IF;
    SELECT * INTO v_key FROM idempotency_keys k
    WHERE k.tenant = x.tenant AND k.key = x.key FOR UPDATE;
    EXIT WHEN FOUND;
  END LOOP;
  IF v_key.expires_at > v_now AND job_exists(x.tenant, v_key.id) THEN
    kind := CASE v_key.payload_hash WHEN x.payload_hash THEN 'replayed' ELSE 'conflict' END;
    id := v_key.id;
    RETURN;
  END IF;
  UPDATE idempotency_keys k SET payload_hash = x.payload_hash, id = x.id, expires_at = v_expiry
  WHERE k.tenant = x.tenant AND k.key = x.key;
END $$;

-- One job, with every obstacle looked at: its key, its unique key, its id, its document.
CREATE FUNCTION insert_one(x new_job, p_call int8, p_is_late boolean, v_now timestamptz,
  OUT kind text, OUT id uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_run timestamptz; v_seq int8 := (p_call << 16) + x.ord + 1; v_gate int2;
  v_is_keyed boolean := coalesce(x.slot_key, x.user_key, x.organisation_key, x.active_key)
    IS NOT NULL;
BEGIN
  PERFORM check_lane(x.lane, x.policy);
  IF x.key IS NOT NULL THEN
    SELECT k.kind, k.id INTO kind, id FROM take_key(x, v_now) k;
    IF kind IS NOT NULL THEN RETURN; END IF;
  END IF;
  IF x.unique_key IS NOT NULL THEN
    SELECT u.kind, u.id INTO kind, id FROM join_unique(x, v_now) u;
    IF kind IS NOT NULL THEN
      UPDATE idempotency_keys k SET id = insert_one.id WHERE k.tenant = x.tenant AND k.key = x.key;
      RETURN;
    END IF;
    IF x.unique_mode = 'debounce' AND x.run_at IS NULL THEN
      x.run_at := ms(v_now) + x.unique_window_ms;
    END IF;
  END IF;
  kind := 'created';
  id := x.id;
  v_run := coalesce(at_ms(x.run_at), v_now);
  v_gate := CASE WHEN x.phase <> 1 THEN NULL WHEN v_run > v_now THEN 1
    ELSE gate_when_due(x.slot_key, x.user_key, x.organisation_key) END;
  IF job_exists(x.tenant, x.id) THEN
    kind := 'exists';
  ELSIF v_is_keyed THEN
    -- The document's key is taken before the job is written: of two racers one waits here.
    LOOP
      INSERT INTO keys VALUES (x.id, x.tenant, v_seq, rank_of(v_run, x.priority),
        v_gate, false, x.policy, x.slot_key, x.user_key, x.organisation_key, x.active_key)
      ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
      SELECT 'busy', k.id INTO kind, id FROM keys k WHERE k.active_key = x.active_key;
      EXIT WHEN FOUND;
      IF job_exists(x.tenant, x.id) THEN kind := 'exists'; EXIT; END IF;
      kind := 'created';
    END LOOP;
    IF kind <> 'busy' THEN id := x.id; END IF;
  END IF;
  IF kind = 'created' THEN kind := insert_job(x, p_is_late, v_now, v_run, v_gate, v_seq); END IF;
  IF x.unique_key IS NOT NULL THEN PERFORM keep_unique(x, v_now, kind = 'created'); END IF;
  IF kind <> 'created' THEN
    DELETE FROM idempotency_keys k WHERE k.tenant = x.tenant AND k.key = x.key;
  END IF;
END $$;

-- Writes a job that nothing stands in the way of, but a racer with the same id.
CREATE FUNCTION insert_job(x new_job, p_is_late boolean, v_now timestamptz, v_run timestamptz,
  v_gate int2, v_seq int8) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_n int8; v_found int;
  v_flags int := x.is_other::int + CASE WHEN EXISTS (
    SELECT FROM keys k WHERE k.id = x.id AND k.tenant = x.tenant) THEN 2 ELSE 0 END
    + CASE WHEN x.stages IS NOT NULL THEN 8 ELSE 0 END;
BEGIN
  WITH f AS (
    INSERT INTO facts
    SELECT x.id, v_now, at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, x.priority,
      x.metadata::json, x.input::json, (x.labels).*
    WHERE NOT x.is_other ON CONFLICT DO NOTHING RETURNING 1),
  o AS (
    INSERT INTO facts_other
    SELECT x.id, v_now, at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, x.priority,
      x.metadata::json, x.input::json, (x.labels).*
    WHERE x.is_other ON CONFLICT DO NOTHING RETURNING 1)
  SELECT count(*) INTO v_found FROM (SELECT FROM f UNION ALL SELECT FROM o) made;
  IF v_found = 0 THEN
    DELETE FROM keys k WHERE k.id = x.id AND k.tenant = x.tenant AND k.seq = v_seq;
    RETURN 'exists';
  END IF;
  IF p_is_late THEN
    INSERT INTO log_late VALUES (nextval('calls'), v_now, x.tenant, x.lane, x.lifecycle, x.via_state, x.state,
      x.phase, x.actor, ARRAY[x.id], x.version);
  ELSE
    v_n := draw();
    INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, via_state, to_state, phase, has_texts,
      actor, jobs, versions, epochs, attempts, retries, progress)
    VALUES (v_n, v_now, x.tenant, x.lane, x.lifecycle, 1, x.via_state, x.state, x.phase, false,
      x.actor, ARRAY[x.id], ARRAY[x.version], '{1}', '{0}', '{0}', '{0}');
  END IF;
  INSERT INTO live (id, seq, rank_at, born_n, run_at, updated_at, deadline_at, tenant, lane, policy,
    lifecycle, epoch, version, notes, attempts, retry_count, priority, progress, state, phase, gate,
    flags)
  VALUES (x.id, v_seq, rank_of(v_run, x.priority), v_n, v_run, v_now,
    at_ms(x.deadline_at), x.tenant, x.lane, x.policy, x.lifecycle, 1, x.version, 0, 0, 0, x.priority,
    0, x.state, x.phase, v_gate, v_flags);
  IF x.stages IS NOT NULL THEN
    INSERT INTO stages SELECT x.id, x.tenant, s.kept ->> 0, v_now, nextval('calls'),
      (s.kept ->> 1)::json
    FROM json_array_elements(x.stages::json) WITH ORDINALITY AS s(kept, i) ORDER BY s.i;
  END IF;
  RETURN 'created';
END $$;

-- Sets of many, and one after the other what may stand in somebody's way; a caller's transaction
-- lets nobody in at gates, lest it hold a key for long.
CREATE FUNCTION insert_jobs(p_commons json[], p_ids text[], p_inputs json[], p_owns json[],
  p_ords text[], p_jobs json, p_keys text[], p_is_late boolean, p_wait_ms int, p_now float8)
RETURNS TABLE (ord int, kind text, id uuid, at int8) LANGUAGE plpgsql SET lock_timeout = 0 AS $$
#variable_conflict use_column
DECLARE x new_job; v_now timestamptz := clock(p_now); v_call int8 := nextval('calls');
BEGIN
  PERFORM set_config('lock_timeout', p_wait_ms::text, true);
  FOR i IN 1..coalesce(cardinality(p_commons), 0) LOOP
    PERFORM insert_many(p_commons[i], p_ids[i]::uuid[], p_inputs[i], p_owns[i], p_is_late, ms(v_now),
      v_call, p_ords[i]::int[]);
  END LOOP;
  FOR x IN SELECT * FROM json_populate_recordset(NULL::new_job, p_jobs) LOOP
    RETURN QUERY SELECT x.ord, o.kind, o.id, ms(v_now) FROM insert_one(x, v_call, p_is_late, v_now) o;
  END LOOP;
  IF p_keys IS NOT NULL THEN PERFORM admit(p_keys, v_now); END IF;
  RETURN QUERY SELECT NULL::int, 'created', NULL::uuid, ms(v_now);
END $$;

-- A call as one text and its outcomes as another, so that every driver can make it: for calls that
-- are written as a whole or not at all, and for those inside a transaction of the caller. What a
-- block with a handler wrote is taken back with it; what its variables hold stays.
CREATE FUNCTION insert_text(p_call text) RETURNS text LANGUAGE plpgsql SET lock_timeout = 0 AS $$
#variable_conflict use_column
DECLARE v_call json := p_call; v_outcomes json; v_is_refused boolean := false;
  v_keys text[] := CASE WHEN v_call ->> 'keys' IS NOT NULL
    THEN ARRAY(SELECT json_array_elements_text(v_call -> 'keys')) END;
BEGIN
  IF v_call ->> 'log' IS NOT NULL AND NOT EXISTS (SELECT FROM meta m
    WHERE m.log = v_call ->> 'log' AND m.home = home_now() AND m.timeline = timeline_now())
  THEN
    PERFORM on_log(NULL) FROM timelines t WHERE v_call ->> 'log' IN (t.log, t.previous);
    RAISE EXCEPTION USING ERRCODE = 'PW007',
      MESSAGE = 'the transaction is of another database than the one that Pawl has open';
  END IF;
  BEGIN
    SELECT json_agg(json_build_object('ord', o.ord, 'kind', o.kind, 'id', o.id, 'at', o.at)
        ORDER BY o.ord), coalesce(bool_or(o.kind IN ('conflict', 'exists', 'alreadyReplayed', 'busy')), false)
    INTO v_outcomes, v_is_refused
    FROM insert_jobs(NULL, NULL, NULL, NULL, NULL, v_call -> 'jobs', v_keys,
      (v_call ->> 'isLate')::boolean, (v_call ->> 'waitMs')::int, (v_call ->> 'now')::float8) o;
    v_is_refused := v_is_refused AND (v_call ->> 'isWhole')::boolean;
    IF v_is_refused THEN RAISE EXCEPTION USING ERRCODE = 'PW008'; END IF;
  EXCEPTION WHEN SQLSTATE 'PW008' THEN NULL;
  END;
  IF NOT v_is_refused AND v_call ->> 'channel' IS NOT NULL THEN
    PERFORM pg_notify(v_call ->> 'channel', v_call ->> 'news');
  END IF;
  RETURN v_outcomes;
END $$;
