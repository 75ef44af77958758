import { JOB_FIELDS, jobSelect } from './row.ts';
import { byKey, EVENT_COLUMNS, NOW, SORTLESS } from './sql-text.ts';

const STAGES = `CASE WHEN j.has_stages THEN (
  SELECT json_agg(json_build_array(s.name, s.result::text,
    (extract(epoch FROM s.at) * 1000)::int8) ORDER BY s.n)
  FROM pawl.stage_results s WHERE s.tenant_id = j.tenant_id AND s.job_id = j.id) END`;

/**
 * Takes up to v_share jobs of one lane. The CTE is materialised and the limit inside it, so that no
 * plan can lock more rows than it takes; rows that others hold are passed over.
 */
const TAKE = `RETURN QUERY
    WITH c AS MATERIALIZED (
      SELECT j.tenant_id, j.id FROM pawl.jobs j
      WHERE j.tenant_id = v_tenants[v_lane] AND j.queue = v_queues[v_lane]
        AND j.type = v_types[v_lane] AND j.gate = 0
      ORDER BY j.priority DESC, j.run_at, j.seq LIMIT v_share FOR UPDATE SKIP LOCKED),
    j AS (
      UPDATE pawl.jobs j SET state = m.to_state, phase = m.to_phase, epoch = j.epoch + m.epochs,
        version = CASE WHEN m.is_quiet THEN j.version ELSE j.version + 1 END,
        notes = CASE WHEN m.is_quiet THEN j.notes ELSE 0 END, gate = NULL,
        attempts = greatest(j.attempts, 1), lease_owner = p_owner, claim_request = p_request,
        lease_end = v_now + p.ttl_ms * interval '1 millisecond',
        lease_expiry = v_now + least(p.ttl_ms, 2 * p.heartbeat_ms) * interval '1 millisecond',
        started_at = CASE WHEN m.to_phase = 3 THEN coalesce(j.started_at, v_now)
          ELSE j.started_at END, updated_at = v_now
      FROM c, pawl.claim_moves m, pawl.policies p
      WHERE ${byKey('j', { tenant: 'c.tenant_id', id: 'c.id' })} AND p.number = ANY (ARRAY[j.policy])
        AND m.lifecycle = ANY (ARRAY[j.lifecycle]) AND m.state = j.state AND m.phase = j.phase
      RETURNING j.*, m.state AS from_state, m.is_quiet),
    e AS (
      INSERT INTO pawl.events (${EVENT_COLUMNS})
      SELECT tenant_id, id, version, born, v_now, 'job_claimed', from_state, state, phase, epoch,
        attempts, retry_count, progress, stage, message, p_actor, NULL, NULL
      FROM j WHERE NOT is_quiet),
    f AS (
      INSERT INTO pawl.feed (ts, tenants, jobs, versions)
      SELECT v_now, array_agg(tenant_id ORDER BY priority DESC, run_at, seq),
        array_agg(id ORDER BY priority DESC, run_at, seq),
        array_agg(version ORDER BY priority DESC, run_at, seq)
      FROM j WHERE NOT is_quiet HAVING count(*) > 0)
    SELECT ${jobSelect('j')}, ${STAGES}, v_ms FROM j ORDER BY j.priority DESC, j.run_at, j.seq;
    GET DIAGNOSTICS v_got = ROW_COUNT;`;

/** Lanes in the order of their first jobs; an equal share each, then what is left in that order. */
export const CLAIM_FUNCTION = `
CREATE FUNCTION pawl.claim_v1(p_owner text, p_actor text, p_types text[], p_max int,
  p_tenants int[], p_queues text[], p_request text, p_now double precision)
RETURNS TABLE (${JOB_FIELDS}, stages json, at int8) LANGUAGE plpgsql ${SORTLESS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz; v_ms int8; v_tenants int[]; v_queues text[]; v_types text[];
  v_lanes int; v_share int; v_got int; v_left int := p_max;
BEGIN
  IF p_request IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(
      hashtextextended(p_owner || chr(31) || p_request, hashtext('pawl.claim')));
  END IF;
  v_now := ${NOW};
  v_ms := extract(epoch FROM v_now) * 1000;
  IF p_request IS NOT NULL THEN
    RETURN QUERY SELECT ${jobSelect('j')}, ${STAGES}, v_ms FROM pawl.jobs j
    WHERE j.lease_owner = p_owner AND j.phase IN (2, 3) AND j.claim_request = p_request
      AND j.lease_expiry > v_now AND (p_tenants IS NULL OR j.tenant_id = ANY (p_tenants))
    ORDER BY j.seq;
    IF FOUND THEN RETURN; END IF;
  END IF;
  SELECT array_agg(l.tenant_id ORDER BY h.priority DESC, h.run_at, h.seq),
    array_agg(l.queue ORDER BY h.priority DESC, h.run_at, h.seq),
    array_agg(l.type ORDER BY h.priority DESC, h.run_at, h.seq), count(*)
  INTO v_tenants, v_queues, v_types, v_lanes
  FROM pawl.lanes l CROSS JOIN LATERAL (
    SELECT j.priority, j.run_at, j.seq FROM pawl.jobs j
    WHERE j.tenant_id = l.tenant_id AND j.queue = l.queue AND j.type = l.type AND j.gate = 0
    ORDER BY j.priority DESC, j.run_at, j.seq LIMIT 1) h
  WHERE l.type = ANY (p_types) AND (p_tenants IS NULL OR l.tenant_id = ANY (p_tenants))
    AND (p_queues IS NULL OR l.queue = ANY (p_queues));
  FOR v_lane IN 1..v_lanes LOOP
    EXIT WHEN v_left <= 0;
    v_share := ceil(v_left::numeric / (v_lanes - v_lane + 1));
    ${TAKE}
    v_left := v_left - v_got;
  END LOOP;
  FOR v_lane IN 1..CASE WHEN v_lanes > 1 THEN v_lanes ELSE 0 END LOOP
    EXIT WHEN v_left <= 0;
    v_share := v_left;
    ${TAKE}
    v_left := v_left - v_got;
  END LOOP;
END $$;`;
