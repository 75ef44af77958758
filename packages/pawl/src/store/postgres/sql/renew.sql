CREATE TYPE renewal AS (
  ord int, tenant int, id uuid, epoch int, owner int, token int8, actor text, progress real,
  has_stage boolean, stage text, has_message boolean, message text, checkpoint text,
  result_name text, result text, notes json
);

-- Since when the server can be written to without a break: it was started, or it took over.
CREATE FUNCTION back_since() RETURNS timestamptz LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN greatest(pg_postmaster_start_time(),
    (SELECT max(t.begun_at) FROM timelines t WHERE t.previous <> ''));
END $$;

-- An owner's write that is no transition: no version and no entry in the log, only notes. A lease that
-- ran out while nobody could reach the server (before v_back) is renewed, if the row still has the
-- token of the claim: then nobody else has taken it. Its note says so.
CREATE FUNCTION renew_one(x renewal, v_now timestamptz, v_back timestamptz, OUT lease_expiry int8, OUT progress real,
  OUT cancel_mode int2, OUT cancel_reason text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE j live; p policies; d details; v_at timestamptz; v_is_moved boolean; v_n int8;
BEGIN
  SELECT * INTO j FROM live j WHERE j.id = x.id AND j.tenant = x.tenant FOR UPDATE;
  IF NOT FOUND OR (j.epoch = x.epoch AND j.phase IN (2, 3) AND j.owner = x.owner
    AND (x.token IS NULL OR j.token = x.token)
    AND (j.lease_expiry > v_now OR x.token IS NOT NULL AND j.lease_expiry <= v_back)) IS NOT TRUE
  THEN RETURN; END IF;
  SELECT * INTO p FROM policies p WHERE p.number = j.policy;
  v_at := greatest(v_now, j.updated_at);
  v_is_moved := 2 * (j.lease_end - v_at) <= p.ttl;
  IF x.has_stage OR x.has_message OR x.checkpoint IS NOT NULL THEN
    INSERT INTO details AS o (id, tenant, stage, message, checkpoint)
    VALUES (j.id, j.tenant, x.stage, x.message, x.checkpoint::json)
    ON CONFLICT (id, tenant) DO UPDATE SET
      stage = CASE WHEN x.has_stage THEN excluded.stage ELSE o.stage END,
      message = CASE WHEN x.has_message THEN excluded.message ELSE o.message END,
      checkpoint = coalesce(excluded.checkpoint, o.checkpoint);
    j.flags := j.flags | 4;
  END IF;
  IF x.result_name IS NOT NULL THEN
    INSERT INTO stages VALUES (j.id, j.tenant, x.result_name, v_now, nextval('calls'), x.result::json)
    ON CONFLICT (id, tenant, name)
    DO UPDATE SET result = excluded.result, at = excluded.at, n = excluded.n;
    j.flags := j.flags | 8;
  END IF;
  IF j.flags & 4 > 0 THEN
    SELECT * INTO d FROM details d WHERE d.id = j.id AND d.tenant = j.tenant;
  END IF;
  UPDATE live l SET updated_at = v_at, flags = j.flags, progress = greatest(l.progress, x.progress),
    notes = l.notes + 1 + coalesce(json_array_length(x.notes), 0),
    lease_end = CASE WHEN v_is_moved THEN v_at + p.ttl ELSE l.lease_end END,
    lease_expiry = least(CASE WHEN v_is_moved THEN v_at + p.ttl ELSE l.lease_end END,
      v_at + p.heartbeats, l.lease_limit)
  WHERE l.id = j.id AND l.tenant = j.tenant
  RETURNING ms(l.lease_expiry), l.progress, l.cancel_mode INTO lease_expiry, progress, cancel_mode;
  cancel_reason := CASE WHEN cancel_mode IS NOT NULL THEN d.cancel_reason END;
  v_n := draw();
  INSERT INTO notes (n, id, tenant, version, note, ts, lane, lifecycle, kind, state, phase, epoch,
    attempt, retry_count, progress, actor, stage, message, payload)
  SELECT v_n, j.id, j.tenant, j.version, j.notes + w.i, v_at, j.lane, j.lifecycle, w.kind, j.state,
    j.phase, j.epoch, j.attempts, j.retry_count, renew_one.progress, x.actor, d.stage,
    coalesce(w.message, d.message), w.payload::json
  FROM (SELECT 1 AS i, CASE WHEN v_is_moved THEN 102 ELSE 101 END AS kind, NULL AS message,
      CASE WHEN j.lease_expiry <= v_now THEN '{"afterOutage":true}' END AS payload
    UNION ALL SELECT 1 + o.i, (o.draft ->> 'kind')::int, o.draft ->> 'message',
      o.draft ->> 'payload'
    FROM json_array_elements(x.notes) WITH ORDINALITY AS o(draft, i)) w;
END $$;

-- What a set of heartbeats has in common: says names what each tells, a stage (1), a message (2).
CREATE TYPE set_head AS (part int, owner int, token int8, actor text, says int2, progress real[],
  stages text[], messages text[]);

-- Many heartbeats of one owner, with progress, stage or message, and nothing else.
CREATE FUNCTION renew_many(p_ids uuid[], p_tenants int[], p_epochs int[], h set_head,
  v_now timestamptz, v_back timestamptz)
RETURNS TABLE (ord int, lease_expiry int8, progress real, cancel_mode int2, cancel_reason text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_n int8; v_moved int8[]; v_late int8[];
BEGIN
  SELECT array_agg(x.seq) FILTER (WHERE 2 * x.left <= p.ttl),
    array_agg(x.seq) FILTER (WHERE x.lease_expiry <= v_now) INTO v_moved, v_late FROM (
    SELECT j.seq, j.policy, j.lease_expiry, j.lease_end - greatest(v_now, j.updated_at) AS left
    FROM live j WHERE j.id = ANY (p_ids) ORDER BY j.id, j.tenant FOR UPDATE) x
  JOIN policies p ON p.number = x.policy;
  v_n := draw();
  RETURN QUERY
  WITH u AS (
    UPDATE live j SET updated_at = greatest(v_now, j.updated_at), notes = j.notes + 1,
      progress = greatest(j.progress, x.progress),
      flags = CASE h.says WHEN 0 THEN j.flags ELSE j.flags | 4 END,
      lease_end = CASE WHEN j.seq = ANY (v_moved)
        THEN greatest(v_now, j.updated_at) + p.ttl ELSE j.lease_end END,
      lease_expiry = least(CASE WHEN j.seq = ANY (v_moved)
          THEN greatest(v_now, j.updated_at) + p.ttl ELSE j.lease_end END,
        greatest(v_now, j.updated_at) + p.heartbeats, j.lease_limit)
    FROM unnest(p_ids, p_tenants, p_epochs, h.progress, h.stages, h.messages)
      WITH ORDINALITY AS x(id, tenant, epoch, progress, stage, message, ord), policies p
    WHERE j.id = ANY (ARRAY[x.id]) AND j.tenant = x.tenant AND j.epoch = x.epoch
      AND j.phase + 0 IN (2, 3) AND j.owner = h.owner AND (h.token IS NULL OR j.token = h.token)
      AND (j.lease_expiry > v_now OR h.token IS NOT NULL AND j.lease_expiry <= v_back)
      AND p.number = ANY (ARRAY[j.policy])
    RETURNING j.*, x.stage, x.message, x.ord),
  t AS (
    INSERT INTO details AS o (id, tenant, stage, message)
    SELECT u.id, u.tenant, u.stage, u.message FROM u WHERE h.says > 0
    ON CONFLICT (id, tenant) DO UPDATE SET
      stage = CASE WHEN h.says & 1 > 0 THEN excluded.stage ELSE o.stage END,
      message = CASE WHEN h.says & 2 > 0 THEN excluded.message ELSE o.message END
    RETURNING o.id, o.tenant, o.stage, o.message, o.cancel_reason),
  d AS (
    SELECT u.ord, o.stage, o.message, o.cancel_reason FROM u JOIN details o
      ON h.says = 0 AND u.flags & 4 > 0 AND o.id = ANY (ARRAY[u.id]) AND o.tenant = u.tenant
    UNION ALL
    SELECT u.ord, t.stage, t.message, t.cancel_reason FROM u JOIN t USING (id, tenant)),
  w AS (
    INSERT INTO notes (n, id, tenant, version, note, ts, lane, lifecycle, kind, state, phase, epoch,
      attempt, retry_count, progress, actor, stage, message, payload)
    SELECT v_n, u.id, u.tenant, u.version, u.notes, u.updated_at, u.lane, u.lifecycle,
      CASE WHEN u.seq = ANY (v_moved) THEN 102 ELSE 101 END, u.state, u.phase, u.epoch,
      u.attempts, u.retry_count, u.progress, h.actor, d.stage, d.message,
      CASE WHEN u.seq = ANY (v_late) THEN json '{"afterOutage":true}' END
    FROM u LEFT JOIN d ON d.ord = u.ord)
  SELECT u.ord::int, ms(u.lease_expiry), u.progress, u.cancel_mode, d.cancel_reason
  FROM u LEFT JOIN d ON d.ord = u.ord;
END $$;

CREATE FUNCTION renew(p_ids text[], p_tenants text[], p_epochs text[], p_heads json, p_renewals json,
  p_wait_ms int, p_now float8)
RETURNS TABLE (part int, ord int, lease_expiry int8, progress real, cancel_mode int2,
  cancel_reason text, at int8) LANGUAGE plpgsql SET lock_timeout = 0 AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); h set_head; x renewal; o record;
  v_back timestamptz := CASE WHEN p_now IS NULL THEN back_since() END;
BEGIN
  PERFORM set_config('lock_timeout', p_wait_ms::text, true);
  FOR h IN SELECT * FROM json_populate_recordset(NULL::set_head, p_heads) LOOP
    RETURN QUERY SELECT h.part, r.*, ms(v_now) FROM renew_many(p_ids[h.part]::uuid[],
      p_tenants[h.part]::int[], p_epochs[h.part]::int[], h, v_now, v_back) r;
  END LOOP;
  FOR x IN SELECT * FROM json_populate_recordset(NULL::renewal, p_renewals) LOOP
    SELECT * INTO o FROM renew_one(x, v_now, v_back);
    CONTINUE WHEN o.lease_expiry IS NULL;
    RETURN QUERY SELECT 0, x.ord, o.lease_expiry, o.progress, o.cancel_mode, o.cancel_reason,
      ms(v_now);
  END LOOP;
END $$;
