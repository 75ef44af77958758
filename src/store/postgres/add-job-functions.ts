import { BOUNDS } from '../../core/bounds.ts';

/** As the API holds it: of a body, of which the payload is a member. */
const LIMITS = { bytes: 1_048_576, depth: 63, members: 10_000, text: 262_144 };

/** Names of things, as the engine takes them. */
const NAME = `'^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'`;

/** A type that a program has registered for every tenant. */
const SHARED = `'*'`;

/**
 * Why a payload cannot be taken, as the API would refuse it; null for almost all. What a handler
 * would read otherwise than it was written is refused, since nobody could tell later.
 */
const PAYLOAD_FAULT = `
CREATE FUNCTION pawl.payload_fault_v1(p_payload json, p_bytes_max int) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET extra_float_digits = 1 AS $$
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
    WHERE w.depth <= ${LIMITS.depth}
  ), looked AS (
    SELECT w.*, json_typeof(w.value) AS kind FROM walk w
  )
  SELECT CASE
    WHEN bool_or(l.depth > ${LIMITS.depth} AND l.kind IN ('object', 'array'))
      THEN 'is nested deeper than ${LIMITS.depth} levels'
    WHEN count(l.name) > ${LIMITS.members} THEN 'has more than ${LIMITS.members} members'
    WHEN bool_or(l.kind = 'string' AND length(l.value::text) > ${LIMITS.text} + 1)
      THEN 'has a text longer than ${LIMITS.text} characters: keep it as an artifact'
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
END $$;`;

/** Every fault of a call that can be seen without a look at the tables, or null. */
const CALL_FAULTS = `(SELECT string_agg(f.name || ' ' || f.fault, '; ') FROM (
    SELECT n.name, 'must be 1 to 128 letters, digits or . _ : / -' AS fault
    FROM (VALUES ('type', type), ('queue', queue), ('tenant', tenant)) n(name, value)
    WHERE (n.value ~ ${NAME}) IS NOT TRUE
    UNION ALL
    SELECT l.name, 'must be a text of 1 to 512 characters'
    FROM (VALUES ('key', key), ('document_id', document_id), ('correlation_id', correlation_id),
      ('limit_key', limit_key)) l(name, value)
    WHERE length(l.value) NOT BETWEEN 1 AND 512
    UNION ALL
    SELECT t.name, 'must be a time since 1970'
    FROM (VALUES ('run_at', run_at), ('deadline_at', deadline_at)) t(name, value)
    WHERE NOT (isfinite(t.value) AND extract(epoch FROM t.value) BETWEEN 0 AND 8.64e12 - 1)
    UNION ALL
    SELECT 'priority', 'must be a whole number up to ±32767' WHERE abs(priority) > 32767
    UNION ALL
    SELECT 'input', pawl.payload_fault_v1(input, ${LIMITS.bytes})
    UNION ALL
    SELECT 'metadata', CASE json_typeof(metadata) WHEN 'object'
      THEN pawl.payload_fault_v1(metadata, ${BOUNDS.metadata}) ELSE 'must be an object' END
    WHERE metadata IS NOT NULL
  ) f WHERE f.fault IS NOT NULL)`;

/** What a job is counted under, by the limits of its type. */
const LIMIT_KEYS = `SELECT
    '3 ' || r.prefix || ' ' || r.running_key || ' ' || CASE r.running_key WHEN 'tenant' THEN ''
      WHEN 'documentId' THEN document_id WHEN 'correlationId' THEN correlation_id
      WHEN 'limitKey' THEN limit_key END,
    CASE WHEN r.is_one THEN r.prefix || ' ' || document_id END,
    CASE WHEN r.has_user_rate THEN '4 ' || r.prefix || ' ' || limit_key END,
    CASE WHEN r.has_rate THEN '5 ' || r.prefix END
  INTO x.limit_key, x.active_key, x.user_key, x.organisation_key
  FROM (SELECT x.tenant || ' ' || x.type AS prefix,
      p.policy -> 'limits' -> 'runningPerKey' ->> 'key' AS running_key,
      (p.policy -> 'limits' ->> 'activePerDocument')::boolean AS is_one,
      p.user_max IS NOT NULL AS has_user_rate, p.organisation_max IS NOT NULL AS has_rate
    FROM pawl.policies p WHERE p.number = x.policy) r`;

/**
 * Enqueues from plain SQL, triggers included, in the transaction of the caller: a job of a
 * registered type, with that type's policy. Answers with the job's id, also when the key has made
 * the job before. The input is checked by the worker, which has the schema. Workers hear of the job
 * from the channel, and in the words, of `PostgresBell`, once the transaction is over.
 */
const ADD_JOB = `
CREATE FUNCTION pawl.add_job(
  type text, input json DEFAULT 'null', key text DEFAULT NULL, run_at timestamptz DEFAULT NULL,
  queue text DEFAULT 'default', priority int DEFAULT 0, tenant text DEFAULT 'default',
  document_id text DEFAULT NULL, correlation_id text DEFAULT NULL, limit_key text DEFAULT NULL,
  metadata json DEFAULT NULL, deadline_at timestamptz DEFAULT NULL, hold boolean DEFAULT false,
  id uuid DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE x pawl.new_job_v1; o record; v_takes_input boolean; v_lifecycle text; v_faults text;
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
BEGIN
  input := coalesce(input, 'null'); queue := coalesce(queue, 'default');
  tenant := coalesce(tenant, 'default'); priority := coalesce(priority, 0);
  v_faults := ${CALL_FAULTS};
  IF v_faults IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'PW009', MESSAGE = 'add_job: ' || v_faults;
  END IF;
  SELECT p.number, p.max_attempts, l.id, l.name, l.initial_state, l.initial_phase,
    coalesce(CASE WHEN NOT hold THEN l.submitted_state END, l.initial_state),
    coalesce(CASE WHEN NOT hold THEN l.submitted_phase END, l.initial_phase),
    CASE WHEN NOT hold AND l.submitted_state IS NOT NULL THEN 2 ELSE 1 END,
    (t.body ->> 'definition')::json ->> 'inputSchema' IS DISTINCT FROM 'false'
  INTO x.policy, x.max_attempts, x.lifecycle, v_lifecycle, x.born_state, x.born_phase,
    x.state, x.phase, x.version, v_takes_input
  FROM pawl.records t JOIN pawl.policies p ON p.number = (t.body ->> 'policy')::int
  JOIN pawl.lifecycles l
    ON l.name = p.policy ->> 'lifecycle' AND l.version = (p.policy ->> 'lifecycleVersion')::int
  WHERE t.kind = 'type' AND t.id = add_job.type AND t.tenant IN (add_job.tenant, ${SHARED})
  ORDER BY t.tenant = ${SHARED} LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PW005', MESSAGE = format('add_job: the type "%s" is not '
      'registered for the tenant "%s": start a program that defines it, or PUT /v1/types/%s',
      type, tenant, type);
  END IF;
  IF NOT v_takes_input AND json_typeof(input) <> 'null' THEN
    RAISE EXCEPTION USING ERRCODE = 'PW009',
      MESSAGE = 'add_job: input must be left out: jobs of this type take no input';
  END IF;
  IF hold AND x.born_phase <> 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'PW009', MESSAGE = format(
      'add_job: hold must be left out: the lifecycle %s has no held state', v_lifecycle);
  END IF;
  INSERT INTO pawl.tenants (name) SELECT tenant
  WHERE NOT EXISTS (SELECT FROM pawl.tenants n WHERE n.name = tenant) ON CONFLICT DO NOTHING;
  SELECT n.id INTO x.tenant FROM pawl.tenants n WHERE n.name = tenant;
  IF EXISTS (SELECT FROM pawl.valves v WHERE v.tenant_id = x.tenant AND v.scope = 'queue'
    AND v.name = queue AND v.is_shedding)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'PW010', MESSAGE = format('add_job: the queue "%s" is above '
      'its high watermark and takes no jobs until it has drained: try again later', queue);
  END IF;
  x.id := coalesce(id, pawl.uuid_v7()); x.type := type; x.queue := queue;
  x.priority := priority; x.input := input::text; x.metadata := metadata::text;
  x.run_at := extract(epoch FROM run_at) * 1000;
  x.deadline_at := extract(epoch FROM deadline_at) * 1000;
  x.correlation_id := correlation_id; x.document_id := document_id; x.job_limit_key := limit_key;
  ${LIMIT_KEYS};
  x.actor := 'sql:' || session_user; x.key := key; x.window_ms := 86400000;
  x.payload_hash := encode(sha256(convert_to(jsonb_build_array(
    type, queue, document_id, input::jsonb, metadata::jsonb, hold)::text, 'UTF8')), 'hex');
  INSERT INTO pawl.lanes AS l SELECT x.type, x.queue, x.tenant WHERE NOT EXISTS (
    SELECT FROM pawl.lanes l
    WHERE l.type = x.type AND l.queue = x.queue AND l.tenant_id = x.tenant)
  ON CONFLICT DO NOTHING;
  IF to_regclass('pawl.events_' || to_char(v_day, 'YYYYMMDD')) IS NULL THEN
    PERFORM pawl.ensure_days_v1(v_day, v_day);
  END IF;
  SELECT * INTO o FROM pawl.insert_one_v1(x, v_now);
  IF o.kind = 'created' AND x.phase = 1 AND (run_at IS NULL OR run_at <= v_now) THEN
    PERFORM pg_notify('pawl_' || n.nspname, ';' || x.type)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = 'pawl.jobs'::regclass;
  END IF;
  IF o.kind IN ('created', 'replayed') THEN RETURN o.id; END IF;
  RAISE EXCEPTION USING ERRCODE = 'PW006', MESSAGE = CASE o.kind
    WHEN 'conflict' THEN format('add_job: the key "%s" has made job %s from another payload: '
      'use a new key for a different payload', key, o.id)
    WHEN 'busy' THEN format('add_job: job %s of type "%s" is active for document %s: '
      'wait for its end', o.id, type, document_id)
    ELSE format('add_job: the id %s is taken: choose another one, or leave it out', o.id) END;
END $$;`;

export const ADD_JOB_FUNCTIONS: readonly string[] = [PAYLOAD_FAULT, ADD_JOB];
