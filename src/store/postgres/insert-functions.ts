import { gateWhenDue } from './admission-functions.ts';
import { rankAt } from './rank-schema.ts';
import { EVENT_COLUMNS, fromMs, NOW, PINS, WAIT } from './sql-text.ts';

/** A new job on its way in. Payloads come as text: inside JSON they would be read, and changed. */
const NEW_JOB = `
CREATE TYPE pawl.new_job_v1 AS (
  ord int, tenant int, id uuid, type text, queue text, lifecycle smallint, policy int,
  max_attempts int, state text, phase smallint, born_state text, born_phase smallint,
  version int, priority int, run_at double precision, deadline_at double precision, input text,
  metadata text, correlation_id text, trace_id text, requested_by text, parent_job_id uuid,
  document_id text, actor text, key text, payload_hash text, window_ms double precision,
  limit_key text, user_key text, organisation_key text, active_key text,
  unique_key text, unique_mode text, unique_window_ms double precision,
  unique_wait_ms double precision, job_limit_key text, parent_kind text
);`;

export const JOB_COLUMNS = `tenant_id, id, born, type, queue, lifecycle, policy, state, phase, gate,
  limit_key, user_key, organisation_key, active_key, epoch, version, notes, priority, run_at,
  rank_at, deadline_at, attempts, max_attempts, retry_count, progress,
  created_at, updated_at, correlation_id, trace_id, requested_by, parent_job_id, document_id,
  input, metadata, job_limit_key, parent_kind`;

const RUN_AT = `coalesce(${fromMs('x.run_at')}, v_now)`;

const JOB_VALUES = `x.tenant, x.id, v_born, x.type, x.queue, x.lifecycle, x.policy, x.state,
  x.phase, CASE WHEN x.phase <> 1 THEN NULL WHEN ${RUN_AT} > v_now THEN 1
    ELSE ${gateWhenDue('x')} END, x.limit_key, x.user_key, x.organisation_key, x.active_key,
  1, x.version, 0, x.priority, ${RUN_AT}, ${rankAt(RUN_AT, 'x.priority')},
  ${fromMs('x.deadline_at')}, 0, x.max_attempts, 0, 0,
  v_now, v_now, x.correlation_id, x.trace_id, x.requested_by, x.parent_job_id, x.document_id,
  x.input::json, x.metadata::json, x.job_limit_key, x.parent_kind`;

/** One event for each place of the birth: created in the first, queued in the second. */
const EVENT_VALUES = `x.tenant, x.id, v.version, v_born, v_now,
  CASE v.version WHEN 1 THEN 'job_created' ELSE 'job_queued' END,
  CASE v.version WHEN 2 THEN x.born_state END,
  CASE WHEN v.version = x.version THEN x.state ELSE x.born_state END,
  CASE WHEN v.version = x.version THEN x.phase ELSE x.born_phase END,
  1, 0, 0, 0, NULL, NULL, x.actor, NULL, NULL`;

/**
 * One item after the other, with every obstacle looked at: key, id, document. What a racer has
 * just committed is seen because each look is a statement of its own, made while the key is locked.
 */
const INSERT_ONE = `
CREATE FUNCTION pawl.insert_one_v1(x pawl.new_job_v1, v_now timestamptz, OUT kind text, OUT id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_key pawl.idempotency_keys; v_born date := (v_now AT TIME ZONE 'UTC')::date;
  v_expiry timestamptz := v_now + x.window_ms * interval '1 millisecond';
BEGIN
  WHILE x.key IS NOT NULL LOOP
    INSERT INTO pawl.idempotency_keys VALUES (x.tenant, x.key, x.payload_hash, x.id, v_expiry)
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
    SELECT * INTO v_key FROM pawl.idempotency_keys k
    WHERE k.tenant_id = x.tenant AND k.key = x.key FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    IF v_key.expires_at > v_now AND EXISTS (
      SELECT FROM pawl.jobs j WHERE j.tenant_id = x.tenant AND j.id = v_key.job_id)
    THEN
      kind := CASE v_key.payload_hash WHEN x.payload_hash THEN 'replayed' ELSE 'conflict' END;
      id := v_key.job_id;
      RETURN;
    END IF;
    UPDATE pawl.idempotency_keys k
    SET payload_hash = x.payload_hash, job_id = x.id, expires_at = v_expiry
    WHERE k.tenant_id = x.tenant AND k.key = x.key;
    EXIT;
  END LOOP;
  IF x.unique_key IS NOT NULL THEN
    SELECT u.kind, u.id INTO kind, id FROM pawl.join_unique_v1(x, v_now) u;
    IF kind IS NOT NULL THEN
      UPDATE pawl.idempotency_keys k SET job_id = insert_one_v1.id
      WHERE k.tenant_id = x.tenant AND k.key = x.key;
      RETURN;
    END IF;
    IF x.unique_mode = 'debounce' AND x.run_at IS NULL THEN
      x.run_at := extract(epoch FROM v_now) * 1000 + x.unique_window_ms;
    END IF;
  END IF;
  kind := 'created';
  id := x.id;
  LOOP
    INSERT INTO pawl.jobs (${JOB_COLUMNS}) SELECT ${JOB_VALUES} ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
    kind := 'exists';
    EXIT WHEN x.active_key IS NULL OR EXISTS (
      SELECT FROM pawl.jobs j WHERE j.tenant_id = x.tenant AND j.id = x.id);
    SELECT 'busy', j.id INTO kind, id FROM pawl.jobs j
    WHERE j.active_key = x.active_key AND j.active_key IS NOT NULL AND j.phase < 5;
    EXIT WHEN FOUND;
    kind := 'created';
    id := x.id;
  END LOOP;
  IF x.unique_key IS NOT NULL THEN
    PERFORM pawl.keep_unique_v1(x, v_now, kind = 'created');
  END IF;
  IF kind <> 'created' THEN
    DELETE FROM pawl.idempotency_keys k WHERE k.tenant_id = x.tenant AND k.key = x.key;
    RETURN;
  END IF;
  INSERT INTO pawl.events (${EVENT_COLUMNS})
  SELECT ${EVENT_VALUES} FROM generate_series(1, x.version) AS v(version);
  INSERT INTO pawl.feed (ts, tenants, jobs, versions)
  SELECT v_now, array_agg(x.tenant), array_agg(x.id), array_agg(v ORDER BY v)
  FROM generate_series(1, x.version) v;
END $$;`;

/** For sets with items that may stand in each other's way, and inside a caller's transaction. */
const INSERT_CAREFULLY = `
CREATE FUNCTION pawl.insert_carefully_v1(p_jobs json, p_limits text[], p_wait_ms int,
  p_now double precision)
RETURNS TABLE (ord int, kind text, id uuid, at int8) LANGUAGE plpgsql SET lock_timeout = 0 ${PINS}
AS $$
#variable_conflict use_column
DECLARE x pawl.new_job_v1; v_now timestamptz := ${NOW};
  v_ms int8 := extract(epoch FROM v_now) * 1000;
BEGIN
  ${WAIT}
  FOR x IN SELECT * FROM json_populate_recordset(NULL::pawl.new_job_v1, p_jobs) LOOP
    RETURN QUERY SELECT x.ord, o.kind, o.id, v_ms FROM pawl.insert_one_v1(x, v_now) o;
  END LOOP;
  IF p_limits IS NOT NULL THEN PERFORM pawl.admit_v1(p_limits, v_now); END IF;
END $$;`;

/**
 * The hopeful way, for items that do not touch each other: what is free when it looks is written as
 * one set. A racer that takes an id or a key in between makes the whole fail, to be done carefully.
 */
const INSERT = `
CREATE FUNCTION pawl.insert_v1(p_jobs json, p_keys json, p_limits text[], p_wait_ms int,
  p_now double precision)
RETURNS TABLE (ord int, kind text, id uuid, at int8) LANGUAGE plpgsql SET lock_timeout = 0 ${PINS}
AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW}; v_ms int8 := extract(epoch FROM v_now) * 1000;
  v_born date := (v_now AT TIME ZONE 'UTC')::date;
BEGIN
  ${WAIT}
  IF p_keys IS NOT NULL THEN
    -- One after the other then, lest those with a known key come to be after all others.
    IF EXISTS (SELECT FROM json_populate_recordset(NULL::pawl.new_job_v1, p_keys) y
      JOIN pawl.idempotency_keys k ON k.tenant_id = y.tenant AND k.key = y.key)
    THEN
      RETURN QUERY SELECT * FROM pawl.insert_carefully_v1(p_jobs, p_limits, p_wait_ms, p_now);
      RETURN;
    END IF;
    INSERT INTO pawl.idempotency_keys
    SELECT y.tenant, y.key, y.payload_hash, y.id, v_now + y.window_ms * interval '1 millisecond'
    FROM json_populate_recordset(NULL::pawl.new_job_v1, p_keys) y;
  END IF;
  WITH x AS MATERIALIZED (
    SELECT * FROM json_populate_recordset(NULL::pawl.new_job_v1, p_jobs) y),
  i AS (INSERT INTO pawl.jobs (${JOB_COLUMNS}) SELECT ${JOB_VALUES} FROM x),
  e AS (
    INSERT INTO pawl.events (${EVENT_COLUMNS})
    SELECT ${EVENT_VALUES} FROM x CROSS JOIN LATERAL generate_series(1, x.version) AS v(version))
  INSERT INTO pawl.feed (ts, tenants, jobs, versions)
  SELECT v_now, array_agg(x.tenant ORDER BY x.ord, v.version),
    array_agg(x.id ORDER BY x.ord, v.version), array_agg(v.version ORDER BY x.ord, v.version)
  FROM x CROSS JOIN LATERAL generate_series(1, x.version) AS v(version) HAVING count(*) > 0;
  IF p_limits IS NOT NULL THEN PERFORM pawl.admit_v1(p_limits, v_now); END IF;
  RETURN QUERY SELECT NULL::int, 'created', NULL::uuid, v_ms;
END $$;`;

/** A UUIDv7 of the server, for callers that have only SQL. */
const UUID_V7 = `
CREATE FUNCTION pawl.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::int8), 12, '0')
    || '7' || substr(h, 14, 3) || substr(h, 17))::uuid
  FROM (SELECT replace(gen_random_uuid()::text, '-', '') AS h) r
$$;`;

/**
 * Enqueues from plain SQL, in the transaction of the caller: a job of a registered type, with that
 * type's policy. Answers with the job's id, also when the key has made the job before. Workers hear
 * of it from the bell's channel, and in its words, once the transaction is over.
 */
export const ENQUEUE = `
CREATE FUNCTION pawl.enqueue(
  type text, input json DEFAULT 'null', queue text DEFAULT 'default',
  tenant text DEFAULT 'default', priority int DEFAULT 0, run_at timestamptz DEFAULT NULL,
  idempotency_key text DEFAULT NULL, correlation_id text DEFAULT NULL,
  document_id text DEFAULT NULL, metadata json DEFAULT NULL, submit boolean DEFAULT true,
  id uuid DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql AS $$
#variable_conflict use_variable
<<given>>
DECLARE x pawl.new_job_v1; o record;
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
BEGIN
  SELECT p.number, p.max_attempts, l.id, l.initial_state, l.initial_phase,
    coalesce(CASE WHEN submit THEN l.submitted_state END, l.initial_state),
    coalesce(CASE WHEN submit THEN l.submitted_phase END, l.initial_phase),
    CASE WHEN submit AND l.submitted_state IS NOT NULL THEN 2 ELSE 1 END
  INTO x.policy, x.max_attempts, x.lifecycle, x.born_state, x.born_phase, x.state, x.phase,
    x.version
  FROM pawl.records t JOIN pawl.policies p ON p.number = (t.body ->> 'policy')::int
  JOIN pawl.lifecycles l
    ON l.name = p.policy ->> 'lifecycle' AND l.version = (p.policy ->> 'lifecycleVersion')::int
  WHERE t.kind = 'type' AND t.tenant = enqueue.tenant AND t.id = enqueue.type;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PW005',
      MESSAGE = format('no type "%s" is registered for tenant "%s"', type, tenant);
  END IF;
  INSERT INTO pawl.tenants (name) SELECT enqueue.tenant WHERE NOT EXISTS (
    SELECT FROM pawl.tenants n WHERE n.name = enqueue.tenant) ON CONFLICT DO NOTHING;
  SELECT n.id INTO x.tenant FROM pawl.tenants n WHERE n.name = enqueue.tenant;
  x.id := coalesce(enqueue.id, pawl.uuid_v7()); x.type := type; x.queue := queue;
  x.priority := priority; x.run_at := extract(epoch FROM run_at) * 1000; x.input := input::text;
  x.metadata := metadata::text; x.correlation_id := correlation_id; x.document_id := document_id;
  SELECT '3 ' || CASE WHEN r.running_key = 'tenant' THEN r.prefix || ' tenant '
      ELSE r.prefix || ' ' || r.running_key || ' ' || r.running_value END,
    CASE WHEN r.is_one THEN r.prefix || ' ' || document_id END,
    CASE WHEN r.has_rate THEN '5 ' || r.prefix END
  INTO x.limit_key, x.active_key, x.organisation_key
  FROM (SELECT x.tenant || ' ' || x.type AS prefix,
      p.policy -> 'limits' -> 'runningPerKey' ->> 'key' AS running_key,
      CASE p.policy -> 'limits' -> 'runningPerKey' ->> 'key'
        WHEN 'documentId' THEN document_id WHEN 'correlationId' THEN correlation_id
        END AS running_value,
      (p.policy -> 'limits' ->> 'activePerDocument')::boolean AS is_one,
      p.organisation_max IS NOT NULL AS has_rate
    FROM pawl.policies p WHERE p.number = x.policy) r;
  x.actor := 'sql:' || session_user; x.key := idempotency_key; x.window_ms := 86400000;
  x.payload_hash := encode(sha256(convert_to(
    jsonb_build_array(type, queue, input::jsonb, metadata::jsonb)::text, 'UTF8')), 'hex');
  INSERT INTO pawl.lanes AS l SELECT x.type, x.queue, x.tenant WHERE NOT EXISTS (
    SELECT FROM pawl.lanes l
    WHERE l.type = x.type AND l.queue = x.queue AND l.tenant_id = x.tenant)
  ON CONFLICT DO NOTHING;
  IF to_regclass('pawl.events_' || to_char(v_now AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL THEN
    PERFORM pawl.ensure_days_v1((v_now AT TIME ZONE 'UTC')::date, (v_now AT TIME ZONE 'UTC')::date);
  END IF;
  SELECT * INTO o FROM pawl.insert_one_v1(x, v_now);
  IF o.kind = 'created' AND x.phase = 1 AND (run_at IS NULL OR run_at <= v_now) THEN
    PERFORM pg_notify('pawl_' || n.nspname, ';' || x.type)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = 'pawl.jobs'::regclass;
  END IF;
  IF o.kind IN ('created', 'replayed') THEN RETURN o.id; END IF;
  RAISE EXCEPTION USING ERRCODE = 'PW006', MESSAGE = CASE o.kind
    WHEN 'conflict' THEN
      format('the key "%s" has made job %s from another payload', idempotency_key, o.id)
    WHEN 'busy' THEN
      format('job %s of type "%s" is active for document %s', o.id, type, document_id)
    ELSE format('the id %s is taken', o.id) END;
END $$;`;

export const INSERT_FUNCTIONS: readonly string[] = [
  NEW_JOB,
  INSERT_ONE,
  INSERT_CAREFULLY,
  INSERT,
  UUID_V7,
  ENQUEUE,
];
