import { byKey, NOW, PINS, STEADY_NOW, toMs, WAIT } from './sql-text.ts';

const IS_MOVED = `2 * (j.lease_end - ${STEADY_NOW}) <= p.ttl_ms * interval '1 millisecond'`;
const LEASE_END = `CASE WHEN ${IS_MOVED} THEN ${STEADY_NOW} + p.ttl_ms * interval '1 millisecond'
  ELSE j.lease_end END`;

/**
 * Owners' writes that are no transition: no version, no event and no guard, only notes. A job that
 * comes twice has a second turn. `lease_moved` is stored because a plain UPDATE cannot return what
 * was there before.
 */
export const RENEW_FUNCTION = `
CREATE FUNCTION pawl.renew_v1(p_renewals json, p_turns int, p_wait_ms int,
  p_now double precision)
RETURNS TABLE (ord int, at int8, lease_expiry int8, progress double precision,
  cancel_mode text, cancel_reason text) LANGUAGE plpgsql SET lock_timeout = 0 ${PINS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW}; v_ms int8 := extract(epoch FROM v_now) * 1000;
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
BEGIN
  ${WAIT}
  FOR v_turn IN 1..p_turns LOOP RETURN QUERY
    WITH u AS (
      UPDATE pawl.jobs j SET lease_moved = ${IS_MOVED}, lease_end = ${LEASE_END},
        lease_expiry = least(${LEASE_END},
          ${STEADY_NOW} + 2 * p.heartbeat_ms * interval '1 millisecond', j.lease_limit),
        progress = greatest(j.progress, x.progress),
        stage = CASE WHEN x.has_stage THEN x.stage ELSE j.stage END,
        message = CASE WHEN x.has_message THEN x.message ELSE j.message END,
        checkpoint = coalesce(x.checkpoint::json, j.checkpoint),
        has_stages = j.has_stages OR x.result_name IS NOT NULL,
        notes = j.notes + 1 + coalesce(json_array_length(x.notes), 0), updated_at = ${STEADY_NOW}
      FROM json_to_recordset(p_renewals) AS x(ord int, turn int, tenant int, id uuid, epoch int,
        owner text, actor text, progress double precision, has_stage boolean, stage text,
        has_message boolean, message text, checkpoint text, result_name text, result text,
        notes json), pawl.policies p
      WHERE x.turn = v_turn AND ${byKey('j', { tenant: 'x.tenant', id: 'x.id' })}
        AND j.epoch = x.epoch AND j.phase + 0 IN (2, 3) AND j.lease_owner || '' = x.owner
        AND j.lease_expiry > v_now
        AND p.number = ANY (ARRAY[j.policy])
      RETURNING j.tenant_id, j.id, j.version, j.state, j.phase, j.epoch, j.attempts, j.retry_count,
        j.progress, j.stage, j.message, j.updated_at, j.lease_moved, j.lease_expiry, j.cancel_mode,
        j.cancel_reason, x.ord, x.actor, x.result_name, x.result, x.notes AS drafts,
        j.notes - coalesce(json_array_length(x.notes), 0) AS first_note),
    w AS (
      SELECT u.*, u.first_note AS n, CASE WHEN u.lease_moved THEN 'job_lease_renewed'
        ELSE 'job_heartbeat' END AS type, u.message AS line, NULL::text AS payload FROM u
      UNION ALL
      SELECT u.*, u.first_note + d.i, d.draft ->> 'type',
        coalesce(d.draft ->> 'message', u.message), d.draft ->> 'payload'
      FROM u CROSS JOIN LATERAL json_array_elements(u.drafts) WITH ORDINALITY AS d(draft, i)),
    n AS (
      INSERT INTO pawl.notes (tenant_id, job_id, version, n, day, ts, type, state, phase, epoch,
        attempt, retry_count, progress, stage, message, actor, payload)
      SELECT tenant_id, id, version, n, v_day, updated_at, type, state, phase, epoch, attempts,
        retry_count, progress, stage, line, actor, payload::json FROM w),
    s AS (
      INSERT INTO pawl.stage_results AS k (tenant_id, job_id, name, result, at)
      SELECT tenant_id, id, result_name, result::json, v_now FROM u WHERE result_name IS NOT NULL
      ON CONFLICT (tenant_id, job_id, name)
      DO UPDATE SET result = excluded.result, at = excluded.at, n = excluded.n),
    f AS (
      INSERT INTO pawl.feed (ts, tenants, jobs, versions, notes)
      SELECT v_now, array_agg(tenant_id ORDER BY ord, n), array_agg(id ORDER BY ord, n),
        array_agg(version ORDER BY ord, n), array_agg(n ORDER BY ord, n)
      FROM w HAVING count(*) > 0)
    SELECT u.ord, v_ms, ${toMs('u.lease_expiry')}, u.progress, u.cancel_mode, u.cancel_reason
    FROM u;
  END LOOP;
END $$;`;
