-- Enqueues a job by SQL alone, from a trigger too: a part of the caller's transaction, as any row is.
-- Users call it `add_job`, which lies with the tables (add-job-name.sql).
CREATE FUNCTION uuid_v7(p_at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_byte(set_byte(
    overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(ms(p_at)) FROM 3) FROM 1 FOR 6),
    6, get_byte(uuid_send(gen_random_uuid()), 0) & 15 | 112),
    8, get_byte(uuid_send(gen_random_uuid()), 1) & 63 | 128), 'hex')::uuid
$$;

CREATE TYPE add_job_call AS (
  type text, input json, key text, run_at timestamptz, queue text, priority int, tenant text,
  document_id text, correlation_id text, limit_key text, metadata json, deadline_at timestamptz,
  hold boolean, id uuid
);

-- Why a payload cannot be taken, as the API would refuse it (http/json-scan.ts); null for almost all.
-- What a handler would read otherwise than it was written is refused, since nobody could tell later.
CREATE FUNCTION payload_fault(p_payload json, p_bytes_max int) RETURNS text LANGUAGE plpgsql IMMUTABLE
SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE v_fault text;
BEGIN
  IF octet_length(p_payload::text) > p_bytes_max THEN
    RETURN format('has %s bytes, more than the %s that are taken: keep large data as an '
      'artifact or in a table of your own, and give its id',
      octet_length(p_payload::text), p_bytes_max);
  END IF;
  PERFORM p_payload::jsonb;
  WITH RECURSIVE walk(value, name, depth, is_barred) AS (
    SELECT p_payload, NULL::text, 1, false
    UNION ALL
    SELECT c.value, c.name, w.depth + 1,
      c.name = '__proto__' OR (w.name = 'constructor' AND c.name = 'prototype')
    FROM walk w CROSS JOIN LATERAL (
      SELECT o.key, o.value FROM json_each(
        CASE json_typeof(w.value) WHEN 'object' THEN w.value ELSE '{}' END) o
      UNION ALL
      SELECT NULL, a.value FROM json_array_elements(
        CASE json_typeof(w.value) WHEN 'array' THEN w.value ELSE '[]' END) a
    ) c(name, value)
    WHERE w.depth <= 63
  ), looked AS (SELECT w.*, json_typeof(w.value) AS kind FROM walk w)
  SELECT CASE
    WHEN bool_or(l.depth > 63 AND l.kind IN ('object', 'array'))
      THEN 'is nested deeper than 63 levels'
    WHEN count(l.name) > 10000 THEN 'has more than 10000 members'
    WHEN bool_or(l.kind = 'string' AND length(l.value::text) > 262145)
      THEN 'has a text longer than 262144 characters: keep it as an artifact'
    WHEN bool_or(l.is_barred) THEN 'has a member whose name is not allowed (__proto__)'
    WHEN bool_or(l.kind = 'object' AND (
      SELECT count(*) <> count(DISTINCT k) FROM json_object_keys(
        CASE l.kind WHEN 'object' THEN l.value ELSE '{}' END) k))
      THEN 'has a member that is given twice'
    WHEN bool_or(CASE l.kind WHEN 'number' THEN
      (l.value::text)::numeric <> (l.value::text)::float8::text::numeric END)
      THEN 'has a number that is not the same as a double: give it as a string'
    END INTO v_fault
  FROM looked l;
  RETURN v_fault;
EXCEPTION
  WHEN numeric_value_out_of_range THEN
    RETURN 'has a number that is not the same as a double: give it as a string';
  WHEN untranslatable_character OR invalid_text_representation THEN
    RETURN 'holds U+0000 or half of a surrogate pair, which cannot be kept: encode such text, '
      'for example as base64';
END $$;

-- Every fault of a call that can be seen without a look at the tables, or null.
CREATE FUNCTION call_faults(c add_job_call) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(f.name || ' ' || f.fault, '; ') FROM (
    SELECT n.name, 'must be 1 to 128 letters, digits or . _ : / -' AS fault
    FROM (VALUES ('type', c.type), ('queue', c.queue), ('tenant', c.tenant)) n(name, value)
    WHERE (n.value ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$') IS NOT TRUE
    UNION ALL
    SELECT l.name, 'must be a text of 1 to 512 characters'
    FROM (VALUES ('key', c.key), ('document_id', c.document_id),
      ('correlation_id', c.correlation_id), ('limit_key', c.limit_key)) l(name, value)
    WHERE length(l.value) NOT BETWEEN 1 AND 512
    UNION ALL
    SELECT t.name, 'must be a time since 1970'
    FROM (VALUES ('run_at', c.run_at), ('deadline_at', c.deadline_at)) t(name, value)
    WHERE NOT (isfinite(t.value) AND extract(epoch FROM t.value) BETWEEN 0 AND 8.64e12 - 1)
    UNION ALL
    SELECT 'priority', 'must be a whole number up to ±32767' WHERE abs(c.priority) > 32767
    UNION ALL
    SELECT 'input', payload_fault(c.input, 1048576)
    UNION ALL
    SELECT 'metadata', CASE json_typeof(c.metadata) WHEN 'object'
      THEN payload_fault(c.metadata, 65536) ELSE 'must be an object' END
    WHERE c.metadata IS NOT NULL) f
  WHERE f.fault IS NOT NULL
$$;

-- The keys under which a job is counted (limitKeysOf in core/limits.ts says the same).
CREATE FUNCTION limit_keys(x new_job) RETURNS new_job LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_prefix text := x.tenant || ' ' || x.type; v_key text; v_value text; p policies;
  v_user text := coalesce((x.labels).limit_key, (x.labels).requested_by);
BEGIN
  SELECT * INTO p FROM policies p WHERE p.number = x.policy;
  v_key := p.policy -> 'limits' -> 'runningPerKey' ->> 'key';
  v_value := CASE v_key WHEN 'documentId' THEN (x.labels).document_id
    WHEN 'correlationId' THEN (x.labels).correlation_id
    WHEN 'requestedBy' THEN (x.labels).requested_by WHEN 'limitKey' THEN v_user
    WHEN 'tenant' THEN '' END;
  x.slot_key := '3 ' || v_prefix || ' ' || v_key || ' ' || v_value;
  x.user_key := CASE WHEN p.user_max IS NOT NULL THEN '4 ' || v_prefix || ' ' || v_user END;
  x.organisation_key := CASE WHEN p.organisation_max IS NOT NULL THEN '5 ' || v_prefix END;
  x.active_key := CASE WHEN (p.policy -> 'limits' ->> 'activePerDocument')::boolean
    THEN v_prefix || ' ' || (x.labels).document_id END;
  RETURN x;
END $$;

CREATE FUNCTION refuse_job(p_code text, p_message text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = p_code, MESSAGE = 'add_job: ' || p_message;
END $$;

-- The job that a call asks for, as far as its type decides.
CREATE FUNCTION job_of_call(c add_job_call) RETURNS new_job LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x new_job; r json; l lifecycles;
BEGIN
  SELECT r.body INTO r FROM records r WHERE r.kind = 'type' AND r.id = c.type
    AND r.tenant IN (c.tenant, '*') ORDER BY r.tenant = '*' LIMIT 1;
  IF NOT FOUND THEN
    PERFORM refuse_job('PW005', format('the type "%s" is not registered for the tenant "%s": '
      'start a program that defines it, or PUT /v1/types/%s', c.type, c.tenant, c.type));
  END IF;
  x.policy := r ->> 'policy';
  SELECT f.* INTO l FROM policies p JOIN lifecycles f ON f.number = p.lifecycle
  WHERE p.number = x.policy;
  IF (r ->> 'definition')::json ->> 'inputSchema' = 'false' AND json_typeof(c.input) <> 'null' THEN
    PERFORM refuse_job('PW009', 'input must be left out: jobs of this type take no input');
  END IF;
  IF c.hold AND l.initial_phase <> 0 THEN
    PERFORM refuse_job('PW009',
      format('hold must be left out: the lifecycle %s has no held state', l.name));
  END IF;
  x.lifecycle := l.number;
  x.state := l.initial_state; x.phase := l.initial_phase; x.version := 1;
  IF NOT c.hold AND l.submitted_state IS NOT NULL THEN
    x.via_state := l.initial_state; x.state := l.submitted_state; x.phase := l.submitted_phase;
    x.version := 2;
  END IF;
  RETURN x;
END $$;

CREATE FUNCTION add_one(c add_job_call, p_channel text) RETURNS uuid LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x new_job; o record; v_now timestamptz := clock(NULL); b record; v_faults text;
BEGIN
  c.input := coalesce(c.input, 'null'); c.queue := coalesce(c.queue, 'default');
  c.tenant := coalesce(c.tenant, 'default'); c.priority := coalesce(c.priority, 0);
  c.hold := coalesce(c.hold, false);
  v_faults := call_faults(c);
  IF v_faults IS NOT NULL THEN PERFORM refuse_job('PW009', v_faults); END IF;
  x := job_of_call(c);
  SELECT t.number INTO x.tenant FROM name_tenants(ARRAY[c.tenant]) t;
  IF EXISTS (SELECT FROM limits l WHERE l.tenant = x.tenant AND l.scope = 'queue'
    AND l.name = c.queue AND l.is_shedding)
  THEN
    PERFORM refuse_job('PW010', format('the queue "%s" is above its high watermark and takes no '
      'jobs until it has drained: try again later', c.queue));
  END IF;
  SELECT n.number INTO x.lane FROM name_lanes(ARRAY[x.tenant], ARRAY[c.queue], ARRAY[c.type],
    NULL) n;
  SELECT * INTO b FROM partition_bounds();
  x.id := coalesce(c.id, uuid_v7(v_now));
  x.is_other := x.id < b.low::uuid OR x.id >= b.high::uuid
    OR x.id >= id_at(clock_timestamp() + interval '1 day');
  x.ord := 0; x.type := c.type; x.priority := c.priority; x.input := c.input;
  x.metadata := c.metadata; x.run_at := ms(c.run_at); x.deadline_at := ms(c.deadline_at);
  x.labels.correlation_id := c.correlation_id; x.labels.document_id := c.document_id;
  x.labels.limit_key := c.limit_key;
  x.actor := 'sql:' || session_user; x.key := c.key; x.window_ms := 86400000;
  x.payload_hash := encode(sha256(convert_to(jsonb_build_array(c.type, c.queue, c.document_id,
    c.input::jsonb, c.metadata::jsonb, c.hold)::text, 'UTF8')), 'hex');
  SELECT * INTO o FROM insert_one(limit_keys(x), nextval('calls'), true, v_now);
  IF o.kind = 'created' AND x.phase = 1 AND coalesce(c.run_at <= v_now, true) THEN
    PERFORM pg_notify(p_channel, ';' || c.type);
  END IF;
  IF o.kind NOT IN ('created', 'replayed') THEN
    PERFORM refuse_job('PW006', CASE o.kind
      WHEN 'conflict' THEN format('the key "%s" has made job %s from another payload: '
        'use a new key for a different payload', c.key, o.id)
      WHEN 'busy' THEN format('job %s of type "%s" is active for document %s: '
        'wait for its end', o.id, c.type, c.document_id)
      ELSE format('the id %s is taken: choose another one, or leave it out', o.id) END);
  END IF;
  RETURN o.id;
END $$;
