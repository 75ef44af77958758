import { SLOT_MS } from '../control.ts';
import { gateWhenDue, tokenKey } from './admission-functions.ts';
import { rankAt } from './rank-schema.ts';
import { byKey, EVENT_COLUMNS, NOW, PINS, STEADY_NOW, WAIT } from './sql-text.ts';

/** One step on its way in; `delay_ms` and the rest are as in the port's Step. */
const STEP_FIELDS = `to_state text, to_phase smallint, to_epoch int, quiet boolean, attempts int,
  retry_count int, delay_ms double precision, backoff_ms int8, error text, clears boolean,
  event text, cause text, payload text, result text, checkpoint text`;

const RUN_AT = `CASE WHEN x.to_phase NOT IN (1, 4) THEN j.run_at
  WHEN j.phase = 0 THEN greatest(v_now, j.run_at)
  ELSE v_now + x.delay_ms * interval '1 millisecond' END`;

/** What a step does to the row, `j` before it and `x` the step. */
const STEP_SET = `state = x.to_state, phase = x.to_phase, epoch = x.to_epoch,
  version = CASE WHEN x.quiet THEN j.version ELSE j.version + 1 END,
  notes = CASE WHEN x.quiet THEN j.notes ELSE 0 END,
  gate = CASE x.to_phase
    WHEN 1 THEN CASE WHEN ${RUN_AT} > v_now THEN 1 ELSE ${gateWhenDue('j')} END
    WHEN 4 THEN CASE WHEN EXISTS (SELECT FROM pawl.claim_moves m WHERE m.lifecycle = j.lifecycle
      AND m.state = x.to_state AND m.phase = x.to_phase) THEN 1 ELSE 2 END END,
  run_at = ${RUN_AT}, rank_at = ${rankAt(RUN_AT, 'j.priority')}, attempts = x.attempts,
  retry_count = x.retry_count, backoff_ms = coalesce(x.backoff_ms, j.backoff_ms),
  progress = CASE x.to_phase WHEN 5 THEN 100 ELSE j.progress END,
  lease_owner = CASE WHEN x.to_phase IN (2, 3) THEN j.lease_owner END,
  lease_expiry = CASE WHEN x.to_phase IN (2, 3) THEN j.lease_expiry END,
  lease_end = CASE WHEN x.to_phase IN (2, 3) THEN j.lease_end END,
  claim_request = CASE WHEN x.to_phase IN (2, 3) THEN j.claim_request END,
  cancel_mode = CASE WHEN x.to_phase < 5 THEN j.cancel_mode END,
  cancel_reason = CASE WHEN x.to_phase < 5 THEN j.cancel_reason END,
  started_at = CASE x.to_phase WHEN 3 THEN coalesce(j.started_at, ${STEADY_NOW})
    ELSE j.started_at END,
  completed_at = CASE WHEN x.to_phase >= 5 THEN ${STEADY_NOW} ELSE j.completed_at END,
  error = CASE WHEN x.clears THEN NULL ELSE coalesce(x.error::json, j.error) END,
  result = coalesce(x.result::json, j.result),
  checkpoint = coalesce(x.checkpoint::json, j.checkpoint), updated_at = ${STEADY_NOW}`;

/** What was moved, and the limits' keys that it may have freed a slot of, or want one of. */
const MOVED = `SELECT array_agg(u.ord::int), array_agg(u.version),
      array_agg(u.limit_key) FILTER (WHERE u.limit_key IS NOT NULL)
        || array_agg(u.token_key) FILTER (WHERE u.token_key IS NOT NULL)
    INTO v_ords, v_versions, v_keys FROM u;`;

/** A job that ends before it was started gives back what it was let through on. */
const LEFT = `array_agg(u.user_key) FILTER (WHERE u.has_left AND u.user_key IS NOT NULL)
        || array_agg(u.organisation_key)
          FILTER (WHERE u.has_left AND u.organisation_key IS NOT NULL)`;

const STEPPED: string = MOVED.replace('\n    INTO', `\n        || ${LEFT}\n    INTO`);

/** The first version does not count how turns end; who calls it is of a time before that. */
type Version = 1 | 2;

const SLOT = `v_ms - v_ms % ${SLOT_MS}`;

/** One row a type of how the turns that these steps end have ended, as `turnEndOf` says it. */
const COUNT_STEPS = `,
    t AS (
      INSERT INTO pawl.turns
      SELECT tenant_id, type, ${SLOT}, count(*) FILTER (WHERE phase = 5),
        count(*) FILTER (WHERE phase <> 5)
      FROM u WHERE was_owned AND (phase = 5 OR has_error AND phase <> 7) GROUP BY tenant_id, type)`;

export const COUNT_COMPLETED: string = `,
  t AS (
    INSERT INTO pawl.turns SELECT tenant_id, type, ${SLOT}, count(*), 0 FROM u
    GROUP BY tenant_id, type)`;

/**
 * Single steps fenced by owner or version, as one set. The expressions around phase, state and
 * owner keep the planner from walking the partial index of owned jobs instead of the key.
 */
const steps = (version: Version): string => `
CREATE FUNCTION pawl.apply_v${version}(p_steps json, p_rest json, p_wait_ms int,
  p_now double precision)
RETURNS TABLE (ord int, version int, at int8) LANGUAGE plpgsql SET lock_timeout = 0 ${PINS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW}; v_ms int8 := extract(epoch FROM v_now) * 1000;
  v_ords int[]; v_versions int[]; v_keys text[]; v_more text[];
BEGIN
  ${WAIT}
  IF p_steps IS NOT NULL THEN
    WITH u AS (
      UPDATE pawl.jobs j SET ${STEP_SET}
      FROM json_to_recordset(p_steps) AS x(ord int, tenant int, id uuid, state text,
        phase smallint, epoch int, owner text, version int, wished boolean, actor text,
        ${STEP_FIELDS})
      WHERE ${byKey('j', { tenant: 'x.tenant', id: 'x.id' })} AND j.epoch = x.epoch
        AND j.state || '' = x.state AND j.phase + 0 = x.phase
        AND (x.wished IS NULL OR x.wished = (j.cancel_mode IS NOT NULL))
        AND CASE WHEN x.owner IS NULL THEN j.version = x.version
          ELSE j.lease_owner || '' = x.owner AND j.lease_expiry > v_now END
      RETURNING j.tenant_id, j.id, j.version, j.born, j.state, j.phase, j.epoch, j.attempts,
        j.retry_count, j.progress, j.stage, j.message, j.updated_at, x.ord, x.quiet, x.event,
        x.state AS from_state, x.actor, x.cause, x.payload, j.limit_key, j.user_key,
        j.organisation_key, x.phase = 1 AND x.to_phase NOT IN (1, 2, 3) AS has_left,
        ${tokenKey('j')} AS token_key${
          version === 1
            ? ''
            : `, j.type,
        x.phase IN (2, 3) AS was_owned, x.error IS NOT NULL AS has_error`
        }),
    e AS (
      INSERT INTO pawl.events (${EVENT_COLUMNS})
      SELECT tenant_id, id, version, born, updated_at, event, from_state, state, phase, epoch,
        attempts, retry_count, progress, stage, message, actor, cause, payload::json
      FROM u WHERE NOT quiet),
    f AS (
      INSERT INTO pawl.feed (ts, tenants, jobs, versions)
      SELECT v_now, array_agg(tenant_id ORDER BY ord), array_agg(id ORDER BY ord),
        array_agg(version ORDER BY ord)
      FROM u WHERE NOT quiet HAVING count(*) > 0)${version === 1 ? '' : COUNT_STEPS}
    ${STEPPED}
    RETURN QUERY SELECT r.ord, r.version, v_ms FROM unnest(v_ords, v_versions) r(ord, version);
  END IF;
  IF p_rest IS NOT NULL THEN
    SELECT array_agg(r.ord), array_agg(r.version), array_agg(r.key)
    INTO v_ords, v_versions, v_more FROM pawl.apply_rest_v${version}(p_rest, v_now) r;
    RETURN QUERY SELECT r.ord, r.version, v_ms FROM unnest(v_ords, v_versions) r(ord, version)
    WHERE r.ord IS NOT NULL;
  END IF;
  v_keys := array_remove(v_keys || v_more, NULL);
  IF cardinality(v_keys) > 0 THEN PERFORM pawl.admit_v1(v_keys, v_now); END IF;
END $$;`;

/** What most moves are: an owner's success. Nothing to decide, so it is told in few words. */
const complete = (version: Version): string => `
CREATE FUNCTION pawl.complete_v${version}(p_tenants int[], p_ids uuid[], p_epochs int[],
  p_wished boolean[], p_owners text[], p_actors text[], p_states text[], p_to_states text[],
  p_results text[], p_wait_ms int, p_now double precision)
RETURNS TABLE (ord int, version int, at int8) LANGUAGE plpgsql SET lock_timeout = 0 ${PINS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW}; v_ms int8 := extract(epoch FROM v_now) * 1000;
  v_ords int[]; v_versions int[]; v_keys text[];
BEGIN
  ${WAIT}
  WITH u AS (
    UPDATE pawl.jobs j SET state = x.to_state, phase = 5, version = j.version + 1, notes = 0,
      gate = NULL, progress = 100, lease_owner = NULL, lease_expiry = NULL, lease_end = NULL,
      claim_request = NULL, cancel_mode = NULL, cancel_reason = NULL,
      completed_at = ${STEADY_NOW}, error = NULL, result = coalesce(x.result::json, j.result),
      updated_at = ${STEADY_NOW}
    FROM unnest(p_tenants, p_ids, p_epochs, p_wished, p_owners, p_actors, p_states, p_to_states,
      p_results) WITH ORDINALITY
      AS x(tenant, id, epoch, wished, owner, actor, state, to_state, result, ord)
    WHERE ${byKey('j', { tenant: 'x.tenant', id: 'x.id' })} AND j.epoch = x.epoch
      AND j.state || '' = x.state AND j.phase + 0 = 3 AND j.lease_owner || '' = x.owner
      AND j.lease_expiry > v_now
      AND (x.wished IS NULL OR x.wished = (j.cancel_mode IS NOT NULL))
    RETURNING j.tenant_id, j.id, j.version, j.born, j.state, j.epoch, j.attempts, j.retry_count,
      j.stage, j.message, j.updated_at, x.ord, x.actor, x.state AS from_state, j.limit_key,
      NULL::text AS token_key${version === 1 ? '' : ', j.type'}),
  e AS (
    INSERT INTO pawl.events (${EVENT_COLUMNS})
    SELECT tenant_id, id, version, born, updated_at, 'job_succeeded', from_state, state, 5, epoch,
      attempts, retry_count, 100, stage, message, actor, NULL, NULL FROM u),
  f AS (
    INSERT INTO pawl.feed (ts, tenants, jobs, versions)
    SELECT v_now, array_agg(tenant_id ORDER BY ord), array_agg(id ORDER BY ord),
      array_agg(version ORDER BY ord) FROM u HAVING count(*) > 0)${
        version === 1 ? '' : COUNT_COMPLETED
      }
  ${MOVED}
  IF v_keys IS NOT NULL THEN PERFORM pawl.admit_v1(v_keys, v_now); END IF;
  RETURN QUERY SELECT r.ord, r.version, v_ms FROM unnest(v_ords, v_versions) r(ord, version);
END $$;`;

const STANDS = `v_old.state = x.state AND v_old.phase = x.phase AND v_old.epoch = x.epoch
      AND (x.wished IS NULL OR x.wished = (v_old.cancel_mode IS NOT NULL))
      AND CASE x.fence
        WHEN 'owner' THEN v_old.lease_owner = x.owner AND v_old.lease_expiry > v_now
        WHEN 'expired' THEN v_old.lease_owner IS NOT NULL AND v_old.lease_expiry <= v_now
        ELSE v_old.version = x.version END`;

/** The payload of a lost lease names who lost it; it is put together as text, unread. */
const PAYLOAD = `CASE WHEN m.fence = 'expired' THEN '{"owner":' || to_json(v_old.lease_owner)
  || ',"leaseExpiry":' || (extract(epoch FROM v_old.lease_expiry) * 1000)::int8
  || coalesce(',' || substr(x.payload, 2), '}') ELSE x.payload END::json`;

const EVENT_OF_STEP = `INSERT INTO pawl.events (${EVENT_COLUMNS})
      SELECT u.tenant_id, u.id, u.version, u.born, u.updated_at, x.event, v_from, u.state, u.phase,
        u.epoch, u.attempts, u.retry_count, u.progress, u.stage, u.message, m.actor, x.cause,
        ${PAYLOAD}
      FROM u WHERE NOT x.quiet`;

const ANNOTATE = `IF m.note IS NOT NULL THEN
      SELECT * INTO x FROM json_to_record(m.note) AS n(event text, cause text, payload text,
        keeps boolean, mode text, reason text, result text, checkpoint text, quiet boolean);
      WITH u AS (
        UPDATE pawl.jobs j SET version = j.version + 1, notes = 0, updated_at = ${STEADY_NOW},
          cancel_mode = CASE WHEN x.keeps THEN j.cancel_mode ELSE x.mode END,
          cancel_reason = CASE WHEN x.keeps THEN j.cancel_reason ELSE x.reason END,
          result = coalesce(x.result::json, j.result),
          checkpoint = coalesce(x.checkpoint::json, j.checkpoint)
        WHERE j.tenant_id = m.tenant AND j.id = m.id RETURNING j.*),
      e AS (${EVENT_OF_STEP.replace(PAYLOAD, 'x.payload::json')})
      SELECT u.version INTO v_version FROM u;
      v_tenants := v_tenants || m.tenant; v_jobs := v_jobs || m.id;
      v_versions := v_versions || v_version;
    END IF;`;

const COUNT_MOVE = `
    IF v_old.phase IN (2, 3) AND (v_phase = 5 OR v_failed AND v_phase <> 7) THEN
      INSERT INTO pawl.turns
      VALUES (m.tenant, v_old.type, ${SLOT}, (v_phase = 5)::int, (v_phase <> 5)::int);
    END IF;`;

/** A job that was moved by itself; rows without a number are keys that it gives back. */
const GIVEN_BACK = `RETURN NEXT;
    RETURN QUERY SELECT NULL::int, NULL::int, k FROM pawl.jobs j
      CROSS JOIN LATERAL (VALUES (j.user_key), (j.organisation_key)) AS t(k)
    WHERE j.tenant_id = m.tenant AND j.id = m.id AND v_old.phase = 1 AND j.phase NOT IN (1, 2, 3);`;

/** Everything else, one after the other: several steps, annotations, lost leases. */
const rest = (version: Version): string => `
CREATE FUNCTION pawl.apply_rest_v${version}(p_moves json, v_now timestamptz)
RETURNS TABLE (ord int, version int, key text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE m record; x record; v_old pawl.jobs; v_from text; v_version int;${
  version === 1
    ? ''
    : `
  v_ms int8 := extract(epoch FROM v_now) * 1000; v_phase int; v_failed boolean;`
}
  v_tenants int[] := '{}'; v_jobs uuid[] := '{}'; v_versions int[] := '{}';
BEGIN
  FOR m IN SELECT * FROM json_to_recordset(p_moves) AS m(ord int, tenant int, id uuid, state text,
    phase smallint, epoch int, fence text, owner text, version int, wished boolean, actor text,
    steps json, note json)
  LOOP
    SELECT * INTO v_old FROM pawl.jobs j WHERE j.tenant_id = m.tenant AND j.id = m.id FOR UPDATE;
    CONTINUE WHEN NOT FOUND OR (${STANDS.replaceAll('x.', 'm.')}) IS NOT TRUE;
    v_from := v_old.state;
    v_version := v_old.version;${
      version === 1
        ? ''
        : `
    v_phase := NULL;
    v_failed := false;`
    }
    FOR x IN SELECT * FROM json_to_recordset(m.steps) AS s(${STEP_FIELDS}) LOOP
      WITH u AS (
        UPDATE pawl.jobs j SET ${STEP_SET} WHERE j.tenant_id = m.tenant AND j.id = m.id
        RETURNING j.*),
      e AS (${EVENT_OF_STEP})
      SELECT u.version INTO v_version FROM u;
      v_from := x.to_state;${
        version === 1
          ? ''
          : `
      v_phase := x.to_phase;
      v_failed := v_failed OR x.error IS NOT NULL;`
      }
      CONTINUE WHEN x.quiet;
      v_tenants := v_tenants || m.tenant; v_jobs := v_jobs || m.id;
      v_versions := v_versions || v_version;
    END LOOP;
    ${ANNOTATE}
    ${version === 1 ? '' : COUNT_MOVE}
    ord := m.ord;
    version := v_version;
    SELECT coalesce(j.limit_key, ${tokenKey('j')}) INTO key FROM pawl.jobs j
    WHERE j.tenant_id = m.tenant AND j.id = m.id
      AND (v_old.limit_key IS NOT NULL OR v_old.user_key IS NOT NULL
        OR v_old.organisation_key IS NOT NULL);
    ${GIVEN_BACK}
  END LOOP;
  IF cardinality(v_jobs) > 0 THEN
    INSERT INTO pawl.feed (ts, tenants, jobs, versions)
    VALUES (v_now, v_tenants, v_jobs, v_versions);
  END IF;
END $$;`;

export const APPLY_FUNCTIONS: readonly string[] = [rest(1), steps(1), complete(1)];

export const COUNTING_APPLY_FUNCTIONS: readonly string[] = [rest(2), steps(2), complete(2)];
