-- A tenant that moves to another database, or comes from one (docs/decisions/0093). Who is born, and
-- whatever is written beside jobs, holds the tenant's lock; every other write locks a row of `live`.

-- The first of the two numbers of a tenant's lock; the second is the tenant's.
DO $do$ BEGIN
  EXECUTE format('CREATE FUNCTION tenants_lock() RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT %s $$', (SELECT m.tag FROM meta m));
END $do$;

CREATE FUNCTION lock_number(p_name text) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT t.number FROM tenants t WHERE t.name = p_name), number_for(p_name, 0))
$$;

-- Waits for a move of the tenant that is under way, and refuses where it has left. The look is a
-- statement of its own, so it sees what was committed while this one waited.
CREATE FUNCTION stay(p_tenant int) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE t tenants; v_void text := pg_advisory_xact_lock_shared(tenants_lock(), p_tenant);
BEGIN
  SELECT * INTO t FROM tenants t WHERE t.number = p_tenant AND t.left_for IS NOT NULL;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PW009',
      MESSAGE = format('tenant "%s" has moved to cell "%s"', t.name, t.left_for);
  END IF;
END $$;

CREATE FUNCTION tenant_standing(p_name text) RETURNS TABLE (generation int, left_for text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT t.generation, t.left_for FROM tenants t WHERE t.name = p_name;
END $$;

-- All jobs of a tenant that have not ended, by one look: each of the three has an index.
CREATE FUNCTION live_ids(p_tenant int) RETURNS uuid[] LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN ARRAY(
    SELECT j.id FROM lanes l JOIN live j ON j.lane = l.number AND j.gate = 0
    WHERE l.tenant = p_tenant
    UNION ALL SELECT j.id FROM lanes l JOIN live j ON j.lane = l.number AND j.phase IN (2, 3)
    WHERE l.tenant = p_tenant
    UNION ALL SELECT j.id FROM live j WHERE j.tenant = p_tenant AND j.gate IS DISTINCT FROM 0
      AND j.phase IN (0, 1, 4));
END $$;

-- An entry as it is of one of its jobs alone.
CREATE FUNCTION entry_of(w log, p_id uuid) RETURNS log LANGUAGE plpgsql IMMUTABLE AS $$
#variable_conflict use_column
DECLARE i int := array_position(w.jobs, p_id);
BEGIN
  w.jobs := ARRAY[p_id];
  w.versions := ARRAY[coalesce(w.versions[i], w.versions[1])];
  w.epochs := ARRAY[coalesce(w.epochs[i], w.epochs[1])];
  w.attempts := ARRAY[coalesce(w.attempts[i], w.attempts[1])];
  w.retries := ARRAY[coalesce(w.retries[i], w.retries[1])];
  w.progress := ARRAY[coalesce(w.progress[i], w.progress[1])];
  RETURN w;
END $$;

-- Rows travel as the text of a row, which changes nothing of what they hold.
CREATE FUNCTION pack_job(p_tenant int, p_id uuid) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_ns int8[] := positions_of(p_tenant, p_id, 0, 100000000);
BEGIN
  RETURN (SELECT json_build_object('kind', 'job', 'rows', json_agg(json_build_array(x.of, x.row)))
  FROM (
    SELECT 'facts' AS of, f::text AS row FROM facts_by_id(ARRAY[p_id]) f WHERE f.tenant = p_tenant
    UNION ALL SELECT 'log', x.w::text FROM (SELECT entry_of(e, p_id) AS w FROM entries(v_ns) e
      WHERE e.tenant = p_tenant) x
    UNION ALL SELECT 'log_texts', t::text FROM log_texts t WHERE t.n = ANY (v_ns) AND t.id = p_id
    UNION ALL SELECT 'log_texts', t::text FROM log_texts_carried t
      WHERE t.n = ANY (v_ns) AND t.id = p_id
        AND NOT EXISTS (SELECT FROM log_texts o WHERE o.n = t.n AND o.id = t.id)
    UNION ALL SELECT 'live', l::text FROM live l WHERE l.id = p_id AND l.tenant = p_tenant
    UNION ALL SELECT 'keys', k::text FROM keys k WHERE k.id = p_id AND k.tenant = p_tenant
    UNION ALL SELECT 'ended', e::text FROM ended_by_id(ARRAY[p_id]) e WHERE e.tenant = p_tenant
    UNION ALL SELECT 'details', d::text FROM details d WHERE d.id = p_id AND d.tenant = p_tenant
    UNION ALL (SELECT 'stages', s::text FROM stages s WHERE s.id = p_id AND s.tenant = p_tenant
      ORDER BY s.n)
    UNION ALL SELECT 'annotations', a::text FROM annotations a
      WHERE a.id = p_id AND a.tenant = p_tenant
    UNION ALL SELECT 'positions', p::text FROM positions p
      WHERE p.id = p_id AND p.tenant = p_tenant
    UNION ALL SELECT 'notes', o::text FROM notes o WHERE o.id = p_id AND o.tenant = p_tenant) x);
END $$;

-- What these jobs name by number, before them.
CREATE FUNCTION pack_jobs(p_tenant int, p_ids uuid[]) RETURNS TABLE (part int, body text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF cardinality(p_ids) = 0 THEN RETURN; END IF;
  RETURN QUERY SELECT 0, json_build_object('kind', 'names', 'rows',
    json_agg(json_build_array(x.of, x.row)))::text
  FROM (
    SELECT 'tenants' AS of, t::text AS row FROM tenants t WHERE t.number = p_tenant
    UNION ALL SELECT 'lanes', l::text FROM lanes l WHERE l.tenant = p_tenant
    UNION ALL SELECT 'owners', o::text FROM owners o WHERE o.number IN (
      SELECT j.owner FROM live j WHERE j.id = ANY (p_ids) AND j.tenant = p_tenant)
    UNION ALL SELECT 'policies', p::text FROM policies p WHERE p.number IN (
      SELECT f.policy FROM facts_by_id(p_ids) f WHERE f.tenant = p_tenant)) x;
  RETURN QUERY SELECT x.ord::int, pack_job(p_tenant, x.id)
  FROM unnest(p_ids) WITH ORDINALITY AS x(id, ord) ORDER BY x.ord;
END $$;

CREATE FUNCTION pack_ended(p_name text, p_after uuid, p_limit int)
RETURNS TABLE (last uuid, count int, body text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_tenant int := lock_number(p_name); v_ids uuid[];
BEGIN
  SELECT array_agg(x.id) INTO v_ids FROM (
    SELECT e.id FROM ((SELECT e.id, e.tenant FROM ended e WHERE e.id > p_after
        AND e.tenant = v_tenant ORDER BY e.id LIMIT p_limit)
      UNION ALL (SELECT e.id, e.tenant FROM ended_other e WHERE e.id > p_after
        AND e.tenant = v_tenant ORDER BY e.id LIMIT p_limit)) e ORDER BY e.id LIMIT p_limit) x;
  IF v_ids IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT v_ids[cardinality(v_ids)], cardinality(v_ids), p.body
  FROM pack_jobs(v_tenant, v_ids) p ORDER BY p.part;
END $$;

CREATE FUNCTION pack_since(p_name text, p_since int8, p_to int8)
RETURNS TABLE (last uuid, count int, body text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_tenant int := lock_number(p_name); v_ids uuid[];
BEGIN
  v_ids := ARRAY(SELECT e.id FROM ended_by_id(ARRAY(
    SELECT DISTINCT x.id FROM log w CROSS JOIN LATERAL unnest(w.jobs) x(id)
    WHERE w.n > p_since AND w.n <= p_to AND w.tenant = v_tenant)) e WHERE e.tenant = v_tenant);
  RETURN QUERY SELECT NULL::uuid, cardinality(v_ids), p.body FROM pack_jobs(v_tenant, v_ids) p
  ORDER BY p.part;
END $$;

-- Records that move with a tenant; p_staying and p_naming: store/moving.ts.
CREATE FUNCTION moving_records(p_name text, p_staying text[], p_naming text[])
RETURNS SETOF records LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT r.* FROM records r
  WHERE r.tenant = p_name AND NOT r.kind LIKE ANY (p_staying) FOR UPDATE;
  RETURN QUERY SELECT r.* FROM records r
  WHERE r.kind = ANY (p_naming) AND r.tenant = '' AND r.body ->> 'tenant' = p_name FOR UPDATE;
END $$;

-- All that lives leaves: it is written down whole, and then it is not here any more. Whoever writes
-- for the tenant is waited for; whoever comes later is refused by `stay`, or finds no row.
CREATE FUNCTION depart(p_name text, p_to text, p_generation int, p_since int8, p_staying text[],
  p_naming text[]) RETURNS TABLE (live int8, ended int8, records int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE t tenants; v_ids uuid[]; v_ended uuid[]; v_records records[]; v_rest json; v_number int;
  v_void text;
BEGIN
  PERFORM name_tenants(ARRAY[p_name]);
  -- A record may have been written before the tenant had a number of its own.
  FOR v_number IN SELECT DISTINCT x FROM (VALUES (lock_number(p_name)), (number_for(p_name, 0))) v(x)
    ORDER BY x
  LOOP
    v_void := pg_advisory_xact_lock(tenants_lock(), v_number);
  END LOOP;
  SELECT * INTO t FROM tenants t WHERE t.name = p_name FOR UPDATE;
  IF t.left_for = p_to AND t.generation = p_generation THEN
    RETURN QUERY SELECT 0::int8, 0::int8, 0::int8;
    RETURN;
  END IF;
  PERFORM stay(t.number);
  IF t.generation <> p_generation - 1 THEN
    RAISE EXCEPTION USING ERRCODE = 'PW010', MESSAGE = format(
      'tenant "%s" has moved meanwhile: its generation is %s', p_name, t.generation);
  END IF;
  -- Until one look finds nobody who was not locked by an earlier one: who is born waits.
  LOOP
    v_ids := live_ids(t.number);
    PERFORM FROM live j WHERE j.id = ANY (v_ids) AND j.tenant = t.number ORDER BY j.id FOR UPDATE;
    EXIT WHEN NOT EXISTS (SELECT unnest(live_ids(t.number)) EXCEPT SELECT unnest(v_ids));
  END LOOP;
  v_ids := ARRAY(SELECT j.id FROM live j WHERE j.id = ANY (v_ids) AND j.tenant = t.number
    ORDER BY j.seq);
  v_ended := ARRAY(SELECT DISTINCT x.id FROM log w CROSS JOIN LATERAL unnest(w.jobs) x(id)
    WHERE w.n > p_since AND w.tenant = t.number EXCEPT SELECT unnest(v_ids));
  v_records := ARRAY(SELECT r FROM moving_records(p_name, p_staying, p_naming) r);
  SELECT json_build_object('kind', 'rest', 'rows', json_agg(json_build_array(x.of, x.row)))
  INTO v_rest FROM (
    SELECT 'records' AS of, r::text AS row FROM unnest(v_records) r
    UNION ALL SELECT 'limits', l::text FROM limits l WHERE l.tenant = t.number
    UNION ALL SELECT 'idempotency_keys', k::text FROM idempotency_keys k WHERE k.tenant = t.number
    UNION ALL SELECT 'unique_keys', u::text FROM unique_keys u WHERE u.tenant = t.number
    UNION ALL SELECT 'rate_levels', r::text FROM rate_levels r
      WHERE r.key >= '4 ' || t.number || ' ' AND r.key < '4 ' || t.number || '!'
    UNION ALL SELECT 'rate_levels', r::text FROM rate_levels r
      WHERE r.key >= '5 ' || t.number || ' ' AND r.key < '5 ' || t.number || '!'
    UNION ALL SELECT 'rate_starts', r::text FROM rate_starts r
      WHERE r.key >= '4 ' || t.number || ' ' AND r.key < '4 ' || t.number || '!'
    UNION ALL SELECT 'rate_starts', r::text FROM rate_starts r
      WHERE r.key >= '5 ' || t.number || ' ' AND r.key < '5 ' || t.number || '!') x;
  INSERT INTO departures VALUES (t.number, 1, v_rest::text);
  INSERT INTO departures SELECT t.number, 2 + p.part, p.body
  FROM pack_jobs(t.number, v_ids || v_ended) p;
  DELETE FROM keys k WHERE k.id = ANY (v_ids) AND k.tenant = t.number;
  DELETE FROM live j WHERE j.id = ANY (v_ids) AND j.tenant = t.number;
  DELETE FROM limits l WHERE l.tenant = t.number;
  DELETE FROM idempotency_keys k WHERE k.tenant = t.number;
  DELETE FROM unique_keys u WHERE u.tenant = t.number;
  DELETE FROM records r USING unnest(v_records) x
  WHERE r.kind = x.kind AND r.tenant = x.tenant AND r.id = x.id;
  UPDATE tenants SET left_for = p_to, generation = p_generation, arriving = NULL
  WHERE number = t.number;
  RETURN QUERY SELECT cardinality(v_ids)::int8, cardinality(v_ended)::int8,
    cardinality(v_records)::int8;
END $$;

CREATE FUNCTION departed(p_name text, p_after int, p_limit int) RETURNS TABLE (part int, body text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT d.part, d.body FROM departures d JOIN tenants t ON t.number = d.tenant
  WHERE t.name = p_name AND d.part > p_after ORDER BY d.part LIMIT p_limit;
END $$;

CREATE FUNCTION drop_job(p_tenant int, p_id uuid) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_ns int8[] := positions_of(p_tenant, p_id, 0, 100000000);
BEGIN
  DELETE FROM log_texts_carried t WHERE t.n = ANY (v_ns) AND t.n < 0 AND t.id = p_id;
  DELETE FROM log_carried w WHERE w.n = ANY (v_ns) AND w.n < 0;
  DELETE FROM notes o WHERE o.id = p_id AND o.tenant = p_tenant;
  DELETE FROM positions p WHERE p.id = p_id AND p.tenant = p_tenant;
  DELETE FROM annotations a WHERE a.id = p_id AND a.tenant = p_tenant;
  DELETE FROM stages s WHERE s.id = p_id AND s.tenant = p_tenant;
  DELETE FROM details d WHERE d.id = p_id AND d.tenant = p_tenant;
  DELETE FROM ended e WHERE e.id = p_id AND e.tenant = p_tenant;
  DELETE FROM ended_other e WHERE e.id = p_id AND e.tenant = p_tenant;
  DELETE FROM facts f WHERE f.id = p_id AND f.tenant = p_tenant;
  DELETE FROM facts_other f WHERE f.id = p_id AND f.tenant = p_tenant;
END $$;

-- Prepares for a tenant; false where it has arrived already. What an earlier stay has left goes
-- first, since the same jobs come again.
CREATE FUNCTION expect_tenant(p_name text, p_generation int) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE t tenants;
BEGIN
  PERFORM name_tenants(ARRAY[p_name]);
  SELECT * INTO t FROM tenants t WHERE t.name = p_name FOR UPDATE;
  IF t.generation >= p_generation THEN RETURN false; END IF;
  IF t.arriving = p_generation THEN RETURN true; END IF;
  PERFORM drop_job(f.tenant, f.id) FROM (SELECT f.tenant, f.id FROM facts f
    WHERE f.tenant = t.number UNION ALL SELECT f.tenant, f.id FROM facts_other f
    WHERE f.tenant = t.number) f;
  UPDATE tenants SET arriving = p_generation WHERE number = t.number;
  RETURN true;
END $$;

-- A job that lives is not replaced: it came with an earlier try, and may have moved on since.
CREATE FUNCTION take_job(p_tenant int, p_rows json) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record; f facts; l live; k keys; e ended; w log; s stages; v_old int8[]; v_new int8[];
  v_n int8;
BEGIN
  SELECT (y.row::facts).* INTO f FROM row_list(p_rows) y WHERE y.of = 'facts';
  IF f.tenant IS DISTINCT FROM p_tenant THEN RETURN; END IF;
  IF EXISTS (SELECT FROM row_list(p_rows) y WHERE y.of = 'live') THEN
    IF job_exists(f.tenant, f.id) THEN RETURN; END IF;
  ELSE
    PERFORM drop_job(f.tenant, f.id);
  END IF;
  INSERT INTO facts_other SELECT f.*;
  FOR x IN SELECT y.of, y.row FROM row_list(p_rows) y LOOP
    CASE x.of
    WHEN 'facts' THEN NULL;
    WHEN 'log' THEN
      w := x.row::log;
      v_n := -nextval('calls');
      v_old := v_old || w.n;
      v_new := v_new || v_n;
      w.n := v_n;
      INSERT INTO log_carried SELECT w.*;
    WHEN 'log_texts' THEN
      INSERT INTO log_texts_carried SELECT v_new[array_position(v_old, t.n)], t.id, t.tenant, t.stage,
        t.message, t.cause, t.payload FROM (SELECT (x.row::log_texts).*) t
      WHERE t.n = ANY (v_old);
    WHEN 'live' THEN
      l := x.row::live;
      l.seq := nextval('calls') << 16;
      l.flags := l.flags | 1;
      l.born_n := v_new[array_position(v_old, l.born_n)];
      l.claim_n := v_new[array_position(v_old, l.claim_n)];
      l.more_n := renumbered(l.more_n, v_old, v_new);
      INSERT INTO live SELECT l.*;
    WHEN 'keys' THEN
      k := x.row::keys;
      k.seq := l.seq;
      INSERT INTO keys SELECT k.*;
    WHEN 'ended' THEN
      e := x.row::ended;
      e.flags := e.flags | 1;
      e.born_n := v_new[array_position(v_old, e.born_n)];
      e.claim_n := v_new[array_position(v_old, e.claim_n)];
      e.end_n := coalesce(v_new[array_position(v_old, e.end_n)], 0);
      e.more_n := renumbered(e.more_n, v_old, v_new);
      INSERT INTO ended_other SELECT e.*;
    WHEN 'details' THEN INSERT INTO details SELECT (x.row::details).*;
    WHEN 'stages' THEN
      s := x.row::stages;
      s.n := nextval('calls');
      INSERT INTO stages SELECT s.*;
    WHEN 'annotations' THEN
      INSERT INTO annotations SELECT a.id, a.tenant, a.version,
        coalesce(v_new[array_position(v_old, a.n)], 0), a.at
      FROM (SELECT (x.row::annotations).*) a;
    WHEN 'positions' THEN
      INSERT INTO positions SELECT p.id, p.tenant, p.last_version, renumbered(p.ns, v_old, v_new)
      FROM (SELECT (x.row::positions).*) p;
    WHEN 'notes' THEN
      INSERT INTO notes SELECT -nextval('calls'), o.id, o.tenant, o.version, o.note, o.ts, o.lane,
        o.lifecycle, o.kind, o.state, o.phase, o.epoch, o.attempt, o.retry_count, o.progress,
        o.actor, o.stage, o.message, o.payload FROM (SELECT (x.row::notes).*) o;
    END CASE;
  END LOOP;
END $$;

CREATE FUNCTION row_list(p_rows json) RETURNS TABLE (of text, "row" text) LANGUAGE sql IMMUTABLE AS $$
  SELECT r ->> 0, r ->> 1 FROM json_array_elements(p_rows) r
$$;
CREATE FUNCTION renumbered(p_ns int8[], p_old int8[], p_new int8[]) RETURNS int8[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_ns IS NOT NULL THEN ARRAY(SELECT p_new[array_position(p_old, x.n)]
    FROM unnest(p_ns) WITH ORDINALITY AS x(n, ord) WHERE x.n = ANY (p_old) ORDER BY x.ord) END
$$;

-- Numbers are hashes of names, so they are the same everywhere, unless another name has one.
CREATE FUNCTION take_names(p_rows json) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record; v_is_same boolean;
BEGIN
  FOR x IN SELECT y.of, y.row FROM row_list(p_rows) y LOOP
    CASE x.of
    WHEN 'tenants' THEN
      v_is_same := EXISTS (SELECT FROM tenants t, (SELECT (x.row::tenants).*) o
        WHERE t.number = o.number AND t.name = o.name);
    WHEN 'lanes' THEN
      INSERT INTO lanes SELECT (x.row::lanes).* ON CONFLICT DO NOTHING;
      v_is_same := EXISTS (SELECT FROM lanes l WHERE l = x.row::lanes);
    WHEN 'owners' THEN
      INSERT INTO owners SELECT (x.row::owners).* ON CONFLICT DO NOTHING;
      v_is_same := EXISTS (SELECT FROM owners o WHERE o = x.row::owners);
    WHEN 'policies' THEN
      INSERT INTO policies SELECT (x.row::policies).* ON CONFLICT DO NOTHING;
      v_is_same := EXISTS (SELECT FROM policies p, (SELECT (x.row::policies).*) o
        WHERE p.number = o.number AND p.policy::text = o.policy::text
          AND EXISTS (SELECT FROM lifecycles l WHERE l.number = o.lifecycle));
    END CASE;
    IF v_is_same IS NOT TRUE THEN
      RAISE EXCEPTION USING ERRCODE = 'PW010', MESSAGE = format(
        'a number in %s means something else in this database: %s', x.of, left(x.row, 80));
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION take_rest(p_rows json) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record;
BEGIN
  FOR x IN SELECT y.of, y.row FROM row_list(p_rows) y LOOP
    CASE x.of
    WHEN 'records' THEN INSERT INTO records SELECT (x.row::records).* ON CONFLICT DO NOTHING;
    WHEN 'limits' THEN INSERT INTO limits SELECT (x.row::limits).* ON CONFLICT DO NOTHING;
    WHEN 'idempotency_keys' THEN
      INSERT INTO idempotency_keys SELECT (x.row::idempotency_keys).* ON CONFLICT DO NOTHING;
    WHEN 'unique_keys' THEN
      INSERT INTO unique_keys SELECT (x.row::unique_keys).* ON CONFLICT DO NOTHING;
    WHEN 'rate_levels' THEN
      INSERT INTO rate_levels SELECT (x.row::rate_levels).* ON CONFLICT DO NOTHING;
    WHEN 'rate_starts' THEN INSERT INTO rate_starts SELECT (x.row::rate_starts).*;
    END CASE;
  END LOOP;
END $$;

CREATE FUNCTION take_parts(p_name text, p_generation int, p_bodies text[]) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE t tenants; v_body json;
BEGIN
  SELECT * INTO t FROM tenants t WHERE t.name = p_name FOR UPDATE;
  IF NOT FOUND OR t.generation >= p_generation OR t.arriving IS DISTINCT FROM p_generation THEN
    RAISE EXCEPTION USING ERRCODE = 'PW010',
      MESSAGE = format('tenant "%s" is not expected here: it has arrived already', p_name);
  END IF;
  FOR v_body IN SELECT x::json FROM unnest(p_bodies) WITH ORDINALITY AS b(x, ord) ORDER BY b.ord LOOP
    CASE v_body ->> 'kind'
    WHEN 'names' THEN PERFORM take_names(v_body -> 'rows');
    WHEN 'rest' THEN PERFORM take_rest(v_body -> 'rows');
    ELSE PERFORM take_job(t.number, v_body -> 'rows');
    END CASE;
  END LOOP;
END $$;

CREATE FUNCTION arrive(p_name text, p_generation int) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  UPDATE tenants SET generation = p_generation, arriving = NULL, left_for = NULL
  WHERE name = p_name AND generation < p_generation AND arriving = p_generation;
END $$;

CREATE FUNCTION settle(p_name text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM departures d USING tenants t
  WHERE t.number = d.tenant AND t.name = p_name AND t.left_for IS NOT NULL;
END $$;
