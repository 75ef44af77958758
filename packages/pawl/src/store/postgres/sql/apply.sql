-- Kinds of the log: the numbers of EVENT_TYPES, from 1. Notes count from 101.

-- Makes room for one more position in a row that is about to get one: of the older ones a part of
-- 32 goes to a table of its own. last_version is that of the newest entry in the part. The last
-- claim's position goes with them, and once more when there is another claim: so no entry lies in a
-- later part than younger ones do.
CREATE FUNCTION keep_positions(j live) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF coalesce(cardinality(j.more_n), 0) < 31 THEN RETURN; END IF;
  INSERT INTO positions
  VALUES (j.id, j.tenant, j.version, array_remove(j.more_n || j.claim_n, NULL));
  UPDATE live l SET more_n = NULL, flags = l.flags | 16 WHERE l.id = j.id AND l.tenant = j.tenant;
END $$;

CREATE TYPE move AS (
  ord int, tenant int, id uuid, lifecycle int, state int2, phase int2, epoch int, fence text,
  owner int, token int8, version int, wished boolean, actor text, steps json, note json
);
CREATE TYPE step AS (
  to_state int2, to_phase int2, to_epoch int, quiet boolean, attempts int, retry_count int,
  delay_ms float8, backoff_ms int8, error text, clears boolean, kind int2, turn int2, cause text,
  payload text, result text, checkpoint text, fingerprint text
);
CREATE TYPE note AS (
  kind int2, cause text, payload text, keeps boolean, mode int2, reason text, wakes boolean
);

-- Successes of one owner, from one place to another: jobs without keys, whose ids lie in the
-- partitions. All others are done one by one.
CREATE FUNCTION complete_many(p_ids uuid[], p_tenants int[], p_epochs int[], p_results json,
  p_owner int, p_token int8, p_actor text, p_lifecycle int, p_state int2, p_to_state int2,
  v_now timestamptz)
RETURNS TABLE (ords int[], versions int[], at int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH d AS (
    DELETE FROM live l
    WHERE l.id = ANY (p_ids) AND l.lifecycle = p_lifecycle AND l.state + 0 = p_state
      AND l.phase + 0 = 3 AND l.owner + 0 = p_owner AND (p_token IS NULL OR l.token = p_token)
      AND l.lease_expiry > v_now AND l.flags & 3 = 0
      AND CASE WHEN cardinality(p_epochs) = 1
        THEN l.tenant = p_tenants[1] AND l.epoch = p_epochs[1]
        ELSE (l.id, l.tenant, l.epoch) IN (SELECT * FROM unnest(p_ids, p_tenants, p_epochs)) END
    RETURNING l.id, l.tenant, l.lane, l.epoch, l.version, l.attempts, l.retry_count, l.started_at,
      l.run_at, l.backoff_ms, l.born_n, l.claim_n, l.more_n, l.flags, l.updated_at, l.revision),
  t AS MATERIALIZED (
    SELECT o.id, o.tenant, o.stage, o.message FROM details o JOIN d USING (id, tenant)
    WHERE o.id = ANY ((SELECT array_agg(d.id) FROM d WHERE d.flags & 4 > 0)::uuid[])),
  c AS (
    UPDATE details o SET error = NULL, cancel_reason = NULL FROM t
    WHERE o.id = ANY ((SELECT array_agg(t.id) FROM t)::uuid[]) AND o.id = t.id
      AND o.tenant = t.tenant AND (o.error IS NOT NULL OR o.cancel_reason IS NOT NULL)),
  g AS MATERIALIZED (
    -- Who waited for a row looked at the clock before: no end is older than what came before it.
    SELECT draw() AS n, greatest(v_now, max(d.updated_at)) AS at, d.tenant, d.lane,
      array_agg(d.id) AS ids, array_agg(d.version + 1) AS versions,
      array_agg(d.epoch) AS epochs, array_agg(d.attempts) AS attempts,
      array_agg(d.retry_count) AS retries,
      bool_or(coalesce(t.stage, t.message) IS NOT NULL) AS has_texts
    FROM d LEFT JOIN t USING (id, tenant) GROUP BY d.lane, d.tenant),
  y AS MATERIALIZED (
    SELECT d.*, x.ord, x.result
    FROM d JOIN ROWS FROM (unnest(p_ids), json_array_elements(p_results)) WITH ORDINALITY
      AS x(id, result, ord) ON x.id = d.id
    WHERE cardinality(p_tenants) = 1 OR p_tenants[x.ord] = d.tenant),
  e AS (
    INSERT INTO ended (id, started_at, completed_at, run_at, born_n, claim_n, end_n, tenant,
      lifecycle, epoch, version, from_epoch, from_version, attempts, retry_count, progress,
      from_state, from_phase, state, phase, flags, backoff_ms, more_n, result, revision)
    SELECT y.id, y.started_at, g.at, y.run_at, y.born_n, y.claim_n, g.n,
      y.tenant, p_lifecycle, y.epoch, y.version + 1, y.epoch, y.version, y.attempts, y.retry_count, 100,
      p_state, 3, p_to_state, 5, y.flags, y.backoff_ms, y.more_n, y.result, y.revision
    FROM y JOIN g ON g.lane = y.lane),
  w AS (
    INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, turn, from_state, to_state, phase,
      has_texts, actor, jobs, versions, epochs, attempts, retries, progress)
    SELECT g.n, g.at, g.tenant, g.lane, p_lifecycle, 10, 1, p_state, p_to_state, 5, g.has_texts, p_actor,
      g.ids, alike(g.versions), alike(g.epochs), alike(g.attempts), alike(g.retries), '{100}'
    FROM g),
  x AS (
    INSERT INTO log_texts (n, id, tenant, stage, message)
    SELECT g.n, t.id, t.tenant, t.stage, t.message
    FROM t JOIN d USING (id, tenant) JOIN g ON g.lane = d.lane
    WHERE coalesce(t.stage, t.message) IS NOT NULL)
  SELECT array_agg(y.ord::int), array_agg(y.version + 1), (SELECT ms(max(g.at)) FROM g) FROM y;
END $$;
ALTER FUNCTION complete_many SET enable_nestloop = off;

-- True where the job stands as the move expects, and whoever asks may make it.
CREATE FUNCTION stands(j live, m move, v_now timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN j.lifecycle = m.lifecycle AND j.state = m.state AND j.phase = m.phase
    AND j.epoch = m.epoch AND (m.wished IS NULL OR m.wished = (j.cancel_mode IS NOT NULL))
    AND CASE m.fence
      WHEN 'owner' THEN j.owner = m.owner AND (m.token IS NULL OR j.token = m.token)
        AND j.lease_expiry > v_now
      WHEN 'expired' THEN j.owner IS NOT NULL AND j.lease_expiry <= v_now
      ELSE j.version = m.version END;
END $$;

-- The entry of one job, and what only it has to say.
CREATE FUNCTION write_entry(j live, x step, p_from int2, p_actor text, p_payload text)
RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_n int8 := draw(); d details;
BEGIN
  IF j.flags & 4 > 0 THEN
    SELECT * INTO d FROM details d WHERE d.id = j.id AND d.tenant = j.tenant;
  END IF;
  IF coalesce(d.stage, d.message, x.cause, p_payload) IS NOT NULL THEN
    INSERT INTO log_texts
    VALUES (v_n, j.id, j.tenant, d.stage, d.message, x.cause, p_payload::json);
  END IF;
  INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, turn, from_state, to_state, phase,
    has_texts, actor, jobs, versions, epochs, attempts, retries, progress)
  VALUES (v_n, j.updated_at, j.tenant, j.lane, j.lifecycle, x.kind, x.turn, p_from, j.state, j.phase,
    coalesce(d.stage, d.message, x.cause, p_payload) IS NOT NULL, p_actor, ARRAY[j.id],
    ARRAY[j.version], ARRAY[j.epoch], ARRAY[j.attempts], ARRAY[j.retry_count], ARRAY[j.progress]);
  RETURN v_n;
END $$;

-- What a step leaves in the details; true where there is a row now.
CREATE FUNCTION keep_details(j live, x step) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF x.error IS NULL AND x.checkpoint IS NULL AND (j.flags & 4 = 0
    OR (NOT x.clears AND x.to_phase < 5)) THEN RETURN j.flags & 4 > 0; END IF;
  INSERT INTO details AS d (id, tenant, error, checkpoint)
  VALUES (j.id, j.tenant, x.error::json, x.checkpoint::json)
  ON CONFLICT (id, tenant) DO UPDATE SET
    error = CASE WHEN x.clears THEN NULL ELSE coalesce(excluded.error, d.error) END,
    checkpoint = coalesce(excluded.checkpoint, d.checkpoint),
    cancel_reason = CASE WHEN x.to_phase < 5 THEN d.cancel_reason END;
  RETURN true;
END $$;

-- One step of one job, which the caller has locked. A job that ends leaves `live`.
CREATE FUNCTION take_step(j live, x step, p_actor text, p_payload text, v_now timestamptz)
RETURNS live LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_before live := j; v_n int8;
  v_at timestamptz := greatest(v_now, j.updated_at); v_is_claimed boolean;
BEGIN
  IF NOT x.quiet THEN
    PERFORM keep_positions(j);
    IF cardinality(j.more_n) >= 31 THEN j.more_n := NULL; j.flags := j.flags | 16; END IF;
    j.version := j.version + 1;
    j.notes := 0;
  END IF;
  IF keep_details(j, x) THEN j.flags := j.flags | 4; END IF;
  IF x.to_phase IN (1, 4) THEN
    j.run_at := CASE WHEN j.phase = 0 THEN greatest(v_now, j.run_at)
      ELSE v_now + x.delay_ms * interval '1 ms' END;
    -- Who is requeued keeps the place that its wait gave it, if that is the better one.
    j.rank_at := least(rank_of(j.run_at, j.priority), CASE j.phase WHEN 4 THEN j.rank_at END);
  END IF;
  j.gate := CASE x.to_phase
    WHEN 1 THEN CASE WHEN j.run_at > v_now THEN 1 ELSE 0 END
    WHEN 4 THEN CASE WHEN EXISTS (SELECT FROM moves m WHERE m.lifecycle = j.lifecycle AND m.is_claim
      AND m.from_state = x.to_state AND m.from_phase = 4) THEN 1 ELSE 2 END END;
  j.state := x.to_state; j.phase := x.to_phase; j.epoch := x.to_epoch;
  j.attempts := coalesce(x.attempts, j.attempts);
  j.retry_count := coalesce(x.retry_count, j.retry_count); j.backoff_ms := coalesce(x.backoff_ms, j.backoff_ms);
  j.updated_at := v_at;
  IF x.to_phase = 3 THEN j.started_at := coalesce(j.started_at, v_at); END IF;
  IF x.to_phase = 5 THEN j.progress := 100; END IF;
  IF x.to_phase NOT IN (2, 3) THEN
    j.owner := NULL; j.token := NULL; j.lease_expiry := NULL; j.lease_end := NULL;
    j.lease_limit := NULL;
  END IF;
  IF NOT x.quiet THEN v_n := write_entry(j, x, v_before.state, p_actor, p_payload); END IF;
  IF x.to_phase >= 5 THEN
    DELETE FROM live l WHERE l.id = j.id AND l.tenant = j.tenant;
    PERFORM write_end(j, x, v_before, v_n);
    RETURN j;
  END IF;
  IF v_n IS NOT NULL THEN j.more_n := j.more_n || v_n; END IF;
  IF j.flags & 2 > 0 THEN
    UPDATE keys k SET rank_at = j.rank_at, is_owned = j.phase IN (2, 3), gate = CASE j.gate
      WHEN 0 THEN gate_when_due(k.limit_key, k.user_key, k.organisation_key) ELSE j.gate END
    WHERE k.id = j.id AND k.tenant = j.tenant RETURNING k.gate INTO j.gate;
  END IF;
  UPDATE live l SET (state, phase, gate, epoch, version, notes, attempts, retry_count, backoff_ms,
    run_at, rank_at, updated_at, started_at, owner, token, lease_expiry, lease_end, lease_limit,
    more_n, flags) = (j.state, j.phase, j.gate, j.epoch, j.version, j.notes, j.attempts,
    j.retry_count, j.backoff_ms, j.run_at, j.rank_at, j.updated_at, j.started_at, j.owner, j.token,
    j.lease_expiry, j.lease_end, j.lease_limit, j.more_n, j.flags)
  WHERE l.id = j.id AND l.tenant = j.tenant;
  RETURN j;
END $$;

CREATE FUNCTION write_end(j live, x step, p_before live, p_n int8) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE e ended;
BEGIN
  e.id := j.id; e.tenant := j.tenant; e.started_at := j.started_at; e.completed_at := j.updated_at;
  e.run_at := j.run_at; e.born_n := j.born_n; e.claim_n := j.claim_n; e.end_n := p_n;
  e.lifecycle := j.lifecycle; e.epoch := j.epoch; e.version := j.version;
  e.from_epoch := p_before.epoch; e.from_version := p_before.version; e.attempts := j.attempts;
  e.retry_count := j.retry_count; e.progress := j.progress; e.from_state := p_before.state;
  e.from_phase := p_before.phase;
  e.state := j.state; e.phase := j.phase; e.flags := j.flags; e.backoff_ms := j.backoff_ms;
  e.more_n := j.more_n; e.fingerprint := x.fingerprint; e.result := x.result::json;
  e.revision := j.revision;
  IF j.flags & 1 = 0 THEN INSERT INTO ended SELECT e.*; ELSE INSERT INTO ended_other SELECT e.*; END IF;
  IF j.flags & 2 > 0 THEN DELETE FROM keys k WHERE k.id = j.id AND k.tenant = j.tenant; END IF;
END $$;

-- A fact about a job that moves nothing.
CREATE FUNCTION annotate(j live, m move, v_now timestamptz) RETURNS live LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE y note; x step; v_n int8;
BEGIN
  SELECT * INTO y FROM json_populate_record(NULL::note, m.note);
  x.kind := y.kind; x.cause := y.cause;
  PERFORM keep_positions(j);
  IF cardinality(j.more_n) >= 31 THEN j.more_n := NULL; j.flags := j.flags | 16; END IF;
  j.version := j.version + 1;
  j.updated_at := greatest(v_now, j.updated_at);
  IF NOT y.keeps THEN
    j.cancel_mode := y.mode;
    IF y.reason IS NOT NULL OR j.flags & 4 > 0 THEN
      INSERT INTO details AS d (id, tenant, cancel_reason) VALUES (j.id, j.tenant, y.reason)
      ON CONFLICT (id, tenant) DO UPDATE SET cancel_reason = excluded.cancel_reason;
      j.flags := j.flags | 4;
    END IF;
  END IF;
  IF y.wakes AND j.gate IN (1, 2) THEN j := wake_up(j, v_now); END IF;
  v_n := write_entry(j, x, j.state, m.actor, y.payload);
  UPDATE live l SET version = j.version, notes = 0, updated_at = j.updated_at,
    cancel_mode = j.cancel_mode, flags = j.flags, more_n = j.more_n || v_n, gate = j.gate,
    run_at = j.run_at, rank_at = j.rank_at
  WHERE l.id = j.id AND l.tenant = j.tenant;
  RETURN j;
END $$;

-- Lets in who waits for its time, at the place that it would have if it had been due from the start.
CREATE FUNCTION wake_up(j live, v_now timestamptz) RETURNS live LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  j.run_at := v_now;
  j.rank_at := rank_of(coalesce(
    (SELECT f.created_at FROM facts f WHERE f.id = j.id AND f.tenant = j.tenant),
    (SELECT f.created_at FROM facts_other f WHERE f.id = j.id AND f.tenant = j.tenant)), j.priority);
  IF j.gate = 1 THEN j.gate := 0; END IF;
  IF j.flags & 2 > 0 THEN
    UPDATE keys k SET rank_at = j.rank_at, gate = CASE j.gate
      WHEN 0 THEN gate_when_due(k.limit_key, k.user_key, k.organisation_key) ELSE j.gate END
    WHERE k.id = j.id AND k.tenant = j.tenant RETURNING k.gate INTO j.gate;
  END IF;
  RETURN j;
END $$;

-- The same of a job that has ended: kept beside its row, which never changes.
CREATE FUNCTION annotate_ended(m move, v_now timestamptz) RETURNS int LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE e ended; y note; v_lane int; v_version int; v_at timestamptz; v_n int8;
BEGIN
  PERFORM stay(m.tenant);
  SELECT * INTO e FROM ended e WHERE e.id = m.id AND e.tenant = m.tenant FOR UPDATE;
  IF NOT FOUND THEN
    SELECT * INTO e FROM ended_other e WHERE e.id = m.id AND e.tenant = m.tenant FOR UPDATE;
  END IF;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT coalesce(max(a.version), e.version), greatest(v_now, max(a.at), e.completed_at)
  INTO v_version, v_at FROM annotations a WHERE a.id = m.id AND a.tenant = m.tenant;
  IF m.fence <> 'version' OR v_version <> m.version OR e.state <> m.state OR e.phase <> m.phase
    OR e.epoch <> m.epoch THEN RETURN NULL; END IF;
  SELECT * INTO y FROM json_populate_record(NULL::note, m.note);
  v_lane := lane_of(m.tenant, m.id);
  v_n := draw();
  IF coalesce(y.cause, y.payload) IS NOT NULL OR e.flags & 4 > 0 THEN
    INSERT INTO log_texts SELECT v_n, m.id, m.tenant, d.stage, d.message, y.cause, y.payload::json
    FROM (SELECT 1) one LEFT JOIN details d ON d.id = m.id AND d.tenant = m.tenant;
  END IF;
  INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, from_state, to_state, phase, has_texts,
    actor, jobs, versions, epochs, attempts, retries, progress)
  VALUES (v_n, v_at, m.tenant, v_lane, e.lifecycle, y.kind, e.state, e.state, e.phase, true, m.actor,
    ARRAY[m.id], ARRAY[v_version + 1], ARRAY[e.epoch], ARRAY[e.attempts], ARRAY[e.retry_count],
    ARRAY[e.progress]);
  INSERT INTO annotations VALUES (m.id, m.tenant, v_version + 1, v_n, v_at);
  RETURN v_version + 1;
END $$;

-- A move of a job that stands where the move begins, and has ended there.
CREATE FUNCTION refuse_ended(m move) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF EXISTS (SELECT FROM ended_by_id(ARRAY[m.id]) e WHERE e.tenant = m.tenant AND e.state = m.state
    AND e.phase = m.phase AND e.epoch = m.epoch)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'PW001',
      MESSAGE = format('job %s: nothing leaves a terminal phase', m.id);
  END IF;
END $$;

CREATE FUNCTION lane_of(p_tenant int, p_id uuid) RETURNS int LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN coalesce((SELECT f.lane FROM facts f WHERE f.id = p_id AND f.tenant = p_tenant),
    (SELECT f.lane FROM facts_other f WHERE f.id = p_id AND f.tenant = p_tenant));
END $$;

-- One move: several steps, or an annotation. Answers with the version after it, null where the job
-- did not stand there, and the keys that may let somebody on now.
CREATE FUNCTION apply_one(m move, v_now timestamptz, OUT version int, OUT keys text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE j live; v_before live; x step; v_payload text; v_lost text; k keys;
BEGIN
  SELECT * INTO j FROM live j WHERE j.id = m.id AND j.tenant = m.tenant FOR UPDATE;
  IF NOT FOUND THEN
    IF m.note IS NOT NULL THEN version := annotate_ended(m, v_now);
    ELSE PERFORM refuse_ended(m); END IF;
    RETURN;
  END IF;
  IF stands(j, m, v_now) IS NOT TRUE THEN RETURN; END IF;
  v_before := j;
  IF j.flags & 2 > 0 THEN
    SELECT * INTO k FROM keys k WHERE k.id = m.id AND k.tenant = m.tenant;
  END IF;
  IF m.fence = 'expired' THEN
    v_lost := '"owner":' || to_json((SELECT o.name FROM owners o WHERE o.number = j.owner))
      || ',"leaseExpiry":' || ms(j.lease_expiry);
  END IF;
  FOR x IN SELECT * FROM json_populate_recordset(NULL::step, m.steps) LOOP
    v_payload := x.payload;
    IF v_lost IS NOT NULL THEN
      v_payload := '{' || v_lost || coalesce(',' || substr(x.payload, 2), '}');
    END IF;
    j := take_step(j, x, m.actor, v_payload, v_now);
  END LOOP;
  IF m.note IS NOT NULL THEN j := annotate(j, m, v_now); END IF;
  version := j.version;
  IF k.id IS NULL THEN RETURN; END IF;
  keys := array_remove(ARRAY[k.limit_key,
    CASE j.gate WHEN 4 THEN k.user_key WHEN 5 THEN k.organisation_key END,
    -- A job that leaves its line before it was started gives back what it was let through on.
    CASE WHEN v_before.phase = 1 AND j.phase NOT IN (1, 2, 3) THEN k.user_key END,
    CASE WHEN v_before.phase = 1 AND j.phase NOT IN (1, 2, 3) THEN k.organisation_key END], NULL);
END $$;

-- A success by itself, under the same conditions: null where it is none that can be done so.
CREATE FUNCTION complete_one(p_id uuid, p_tenant int, p_epoch int, p_result json, p_owner int,
  p_token int8, p_actor text, p_lifecycle int, p_state int2, p_to_state int2, v_now timestamptz)
RETURNS live LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE j live; d details; v_n int8; v_has_texts boolean := false;
BEGIN
  DELETE FROM live l WHERE l.id = p_id AND l.tenant = p_tenant AND l.epoch = p_epoch
    AND l.lifecycle = p_lifecycle AND l.state + 0 = p_state AND l.phase + 0 = 3
    AND l.owner + 0 = p_owner AND (p_token IS NULL OR l.token = p_token)
    AND l.lease_expiry > v_now AND l.flags & 3 = 0
  RETURNING l.* INTO j;
  IF j.id IS NULL THEN RETURN NULL; END IF;
  v_n := draw();
  j.version := j.version + 1;
  j.updated_at := greatest(v_now, j.updated_at);
  INSERT INTO ended (id, started_at, completed_at, run_at, born_n, claim_n, end_n, tenant,
    lifecycle, epoch, version, from_epoch, from_version, attempts, retry_count, progress,
    from_state, from_phase, state, phase, flags, backoff_ms, more_n, result, revision)
  VALUES (j.id, j.started_at, j.updated_at, j.run_at, j.born_n, j.claim_n, v_n, j.tenant,
    j.lifecycle, j.epoch, j.version, j.epoch, j.version - 1, j.attempts, j.retry_count, 100,
    p_state, 3, p_to_state, 5, j.flags, j.backoff_ms, j.more_n, p_result, j.revision);
  IF j.flags & 4 > 0 THEN
    SELECT * INTO d FROM details d WHERE d.id = j.id AND d.tenant = j.tenant;
    IF d.error IS NOT NULL OR d.cancel_reason IS NOT NULL THEN
      UPDATE details d SET error = NULL, cancel_reason = NULL
      WHERE d.id = j.id AND d.tenant = j.tenant;
    END IF;
    IF coalesce(d.stage, d.message) IS NOT NULL THEN
      v_has_texts := true;
      INSERT INTO log_texts (n, id, tenant, stage, message)
      VALUES (v_n, j.id, j.tenant, d.stage, d.message);
    END IF;
  END IF;
  INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, turn, from_state, to_state, phase,
    has_texts, actor, jobs, versions, epochs, attempts, retries, progress)
  VALUES (v_n, j.updated_at, j.tenant, j.lane, j.lifecycle, 10, 1, p_state, p_to_state, 5, v_has_texts,
    p_actor, ARRAY[j.id], ARRAY[j.version], ARRAY[j.epoch], ARRAY[j.attempts],
    ARRAY[j.retry_count], '{100}');
  RETURN j;
END $$;

-- The successes of a set that were not done as one: as moves, where there is a row to move.
CREATE FUNCTION rest_of(p_ids uuid[], p_tenants int[], p_epochs int[], p_results json, p_owner int,
  p_token int8, p_actor text, p_lifecycle int, p_state int2, p_to_state int2, p_done int[])
RETURNS SETOF move LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.ord::int, coalesce(x.tenant, p_tenants[1]), x.id, p_lifecycle, p_state,
    3::int2, coalesce(x.epoch, p_epochs[1]), 'owner', p_owner, p_token, NULL::int, NULL::boolean,
    p_actor, json_build_array(json_build_object('to_state', p_to_state, 'to_phase', 5,
      'to_epoch', coalesce(x.epoch, p_epochs[1]), 'quiet', false, 'delay_ms', 0, 'clears', true,
      'kind', 10, 'turn', 1, 'result', x.result::text)), NULL::json
  FROM ROWS FROM (unnest(p_ids), unnest(p_tenants), unnest(p_epochs), json_array_elements(p_results))
    WITH ORDINALITY AS x(id, tenant, epoch, result, ord)
  WHERE x.ord <> ALL (coalesce(p_done, '{}'));
END $$;

-- Sets of successes, each with what its jobs have in common, then all other moves one after the
-- other, in one transaction.
CREATE FUNCTION apply_moves(p_ids text[], p_tenants text[], p_epochs text[], p_results json[],
  p_owners int[], p_tokens int8[], p_actors text[], p_lifecycles int[], p_states int2[],
  p_to_states int2[], p_moves json, p_wait_ms int, p_now float8)
RETURNS TABLE (part int, ords int[], versions int[], at int8) LANGUAGE plpgsql
SET lock_timeout = 0 AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); m move; o record; v_keys text[]; j live; v_void text;
  v_ids uuid[]; v_of int[]; v_epochs int[]; v_result text;
BEGIN
  v_void := set_config('lock_timeout', p_wait_ms::text, true);
  FOR i IN 1..coalesce(cardinality(p_ids), 0) LOOP
    v_ids := p_ids[i];
    v_of := p_tenants[i];
    v_epochs := p_epochs[i];
    part := i;
    ords := NULL;
    at := NULL;
    IF cardinality(v_ids) = 1 THEN
      -- Cut out of its list as text: as a member of JSON it would be read, and changed.
      v_result := substr(p_results[i]::text, 2, length(p_results[i]::text) - 2);
      j := complete_one(v_ids[1], v_of[1], v_epochs[1], nullif(v_result, '')::json, p_owners[i],
        p_tokens[i], p_actors[i], p_lifecycles[i], p_states[i], p_to_states[i], v_now);
      IF j.id IS NOT NULL THEN
        ords := '{1}';
        versions := ARRAY[j.version];
        at := ms(j.updated_at);
      END IF;
    ELSE
      SELECT c.ords, c.versions, c.at INTO ords, versions, at
      FROM complete_many(v_ids, v_of, v_epochs, p_results[i], p_owners[i], p_tokens[i],
        p_actors[i], p_lifecycles[i], p_states[i], p_to_states[i], v_now) c;
    END IF;
    IF ords IS NOT NULL THEN RETURN NEXT; END IF;
    CONTINUE WHEN cardinality(ords) = cardinality(v_ids);
    FOR m IN SELECT * FROM rest_of(v_ids, v_of, v_epochs, p_results[i], p_owners[i], p_tokens[i],
      p_actors[i], p_lifecycles[i], p_states[i], p_to_states[i], ords)
    LOOP
      SELECT * INTO o FROM apply_one(m, v_now);
      CONTINUE WHEN o.version IS NULL;
      v_keys := v_keys || o.keys;
      RETURN QUERY SELECT i, ARRAY[m.ord], ARRAY[o.version], ms(v_now);
    END LOOP;
  END LOOP;
  IF p_moves IS NOT NULL THEN
    FOR m IN SELECT * FROM json_populate_recordset(NULL::move, p_moves) LOOP
      SELECT * INTO o FROM apply_one(m, v_now);
      CONTINUE WHEN o.version IS NULL;
      v_keys := v_keys || o.keys;
      RETURN QUERY SELECT 0, ARRAY[m.ord], ARRAY[o.version], ms(v_now);
    END LOOP;
  END IF;
  IF cardinality(v_keys) > 0 THEN PERFORM admit(v_keys, v_now); END IF;
END $$;
