// Words of its own, also where an earlier version says the same: what is installed does not change.
import { BRIEF_FIELDS } from './row-brief.ts';
import { EVENT_COLUMNS, NOW, quickMs, SORTLESS, toMs } from './sql-text.ts';
import { LOCK_ROOMS, ROOM, VALVE_LOCK } from './valve-schema.ts';

/** For the few jobs that have stages: as part of the claim it would be prepared for every one. */
const STAGES = `
CREATE FUNCTION pawl.stages_v1(p_tenant int, p_job uuid) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT json_agg(json_build_array(s.name, s.result::text, ${toMs('s.at')}) ORDER BY s.n)
    FROM pawl.stage_results s WHERE s.tenant_id = p_tenant AND s.job_id = p_job);
END $$;`;

/** The same claim asked again: what it won, each job with a head of its own. */
const AGAIN = `IF p_request IS NOT NULL AND EXISTS (
    SELECT FROM pawl.jobs j WHERE j.lease_owner = p_owner AND j.phase IN (2, 3)
      AND j.claim_request = p_request) THEN
    RETURN QUERY SELECT j.id, j.epoch, j.version, j.priority, ${toMs('j.run_at')},
      ${toMs('j.deadline_at')}, j.attempts, j.max_attempts, j.retry_count, j.backoff_ms, j.progress,
      j.stage, j.message, ${toMs('j.lease_expiry')}, j.cancel_mode, j.cancel_reason,
      ${toMs('j.created_at')}, ${toMs('j.updated_at')}, ${toMs('j.started_at')},
      ${toMs('j.completed_at')}, j.error, j.input, j.result, j.checkpoint, j.metadata,
      j.correlation_id, j.trace_id, j.requested_by, j.parent_job_id, j.document_id,
      j.job_limit_key, j.parent_kind,
      CASE WHEN j.has_stages THEN pawl.stages_v1(j.tenant_id, j.id) END, row_number() OVER ()::int,
      json_build_array(j.tenant_id, j.type, j.queue, j.lifecycle, j.policy, j.state, j.phase,
        j.lease_owner, v_ms, NULL, NULL, NULL, NULL)
    FROM pawl.jobs j
    WHERE j.lease_owner = p_owner AND j.phase IN (2, 3) AND j.claim_request = p_request
      AND j.lease_expiry > v_now AND (p_tenants IS NULL OR j.tenant_id = ANY (p_tenants));
    IF FOUND THEN RETURN; END IF;
  END IF;`;

/** Lanes with a claimable job and no paused valve, in the order of their first jobs. */
const OPEN_LANES = `SELECT array_agg(tenant_id), array_agg(queue), array_agg(type),
    array_agg(queue_max), array_agg(type_max), array_agg(rank_at), array_agg(seq), count(*)
  INTO v_tenants, v_queues, v_types, v_queue_max, v_type_max, v_ranks, v_seqs, v_lanes
  FROM (
    SELECT l.tenant_id, l.queue, l.type, h.rank_at, h.seq, q.concurrency AS queue_max,
      t.concurrency AS type_max
    FROM pawl.lanes l CROSS JOIN LATERAL (
      SELECT j.rank_at, j.seq FROM pawl.jobs j
      WHERE j.tenant_id = l.tenant_id AND j.queue = l.queue AND j.type = l.type AND j.gate = 0
      ORDER BY j.rank_at, j.seq LIMIT 1) h
    LEFT JOIN pawl.valves q
      ON q.tenant_id = l.tenant_id AND q.scope = 'queue' AND q.name = l.queue
    LEFT JOIN pawl.valves t ON t.tenant_id = l.tenant_id AND t.scope = 'type' AND t.name = l.type
    WHERE l.type = ANY (p_types) AND (p_tenants IS NULL OR l.tenant_id = ANY (p_tenants))
      AND (p_queues IS NULL OR l.queue = ANY (p_queues))
      AND (q.is_paused OR t.is_paused) IS NOT TRUE
    ORDER BY h.rank_at, h.seq) lanes;`;

/** Of several tenants each comes first in turn, and each has a share. */
const IN_TURN = `IF v_tenants[1] = ALL (v_tenants) THEN
    v_groups := 1;
  ELSE
    SELECT array_agg(tenant_id ORDER BY place, n), array_agg(queue ORDER BY place, n),
      array_agg(type ORDER BY place, n), array_agg(queue_max ORDER BY place, n),
      array_agg(type_max ORDER BY place, n), array_agg(size ORDER BY place, n),
      array_agg(rank_at ORDER BY place, n), array_agg(seq ORDER BY place, n), max(groups)
    INTO v_tenants, v_queues, v_types, v_queue_max, v_type_max, v_sizes, v_ranks, v_seqs, v_groups
    FROM (
      SELECT *, (number - 1 - p_turn % groups + groups) % groups AS place FROM (
        SELECT *, max(number) OVER () AS groups FROM (
          SELECT *, dense_rank() OVER (ORDER BY first) AS number FROM (
            SELECT *, min(n) OVER (PARTITION BY tenant_id) AS first,
              count(*) OVER (PARTITION BY tenant_id) AS size
            FROM unnest(v_tenants, v_queues, v_types, v_queue_max, v_type_max, v_ranks, v_seqs)
              WITH ORDINALITY AS a(tenant_id, queue, type, queue_max, type_max, rank_at, seq, n)
          ) b) c) d) e;
  END IF;`;

/**
 * Takes up to v_share jobs of one lane. The CTE is materialised and the limit inside it, so that no
 * plan can lock more rows than it takes; rows that others hold are passed over. A job may have come
 * after the claim had looked at the clock and waited: it is taken at its own time then, not before.
 * It looks from the lane's first job on: what was taken before may still lie in the index, for as
 * long as somebody's old transaction keeps vacuum away, and is passed over once rather than twice.
 * A row that is locked by this very statement is found by where it lies. What the jobs of one
 * policy and place have in common is looked up once, and said with one of them: the others say
 * only where they differ from that head.
 */
const TAKE = `RETURN QUERY
    WITH c AS MATERIALIZED (
      SELECT j.ctid AS tid, j.policy, j.lifecycle, j.state, j.phase, j.run_at,
        greatest(v_now, j.updated_at) AS at FROM pawl.jobs j
      WHERE j.tenant_id = v_tenant AND j.queue = v_queue AND j.type = v_type AND j.gate = 0
        AND (j.rank_at, j.seq) >= (v_ranks[v_lane], v_seqs[v_lane])
      ORDER BY j.rank_at, j.seq LIMIT v_share FOR UPDATE SKIP LOCKED),
    k AS MATERIALIZED (
      SELECT d.*, m.to_state, m.to_phase, m.is_quiet, m.epochs, p.max_attempts,
        p.ttl_ms * interval '1 millisecond' AS ttl,
        p.timeout_ms * interval '1 millisecond' AS timeout,
        least(p.ttl_ms, 2 * p.heartbeat_ms, p.timeout_ms) * interval '1 millisecond' AS lease,
        v_heads + row_number() OVER ()::int AS head
      FROM (SELECT policy, lifecycle, state, phase, min(tid) AS first, min(run_at) AS run_at
        FROM c GROUP BY policy, lifecycle, state, phase) d, pawl.claim_moves m, pawl.policies p
      WHERE p.number = ANY (ARRAY[d.policy])
        AND m.lifecycle = ANY (ARRAY[d.lifecycle]) AND m.state = d.state AND m.phase = d.phase),
    j AS (
      UPDATE pawl.jobs j SET state = k.to_state, phase = k.to_phase, epoch = j.epoch + k.epochs,
        version = CASE WHEN k.is_quiet THEN j.version ELSE j.version + 1 END,
        notes = CASE WHEN k.is_quiet THEN j.notes ELSE 0 END, gate = NULL,
        attempts = greatest(j.attempts, 1), lease_owner = p_owner, claim_request = p_request,
        lease_end = c.at + k.ttl, lease_limit = least(c.at + k.timeout, j.deadline_at),
        lease_expiry = least(j.deadline_at, c.at + k.lease),
        started_at = CASE WHEN k.to_phase = 3 THEN coalesce(j.started_at, c.at)
          ELSE j.started_at END, updated_at = c.at
      FROM c, k
      WHERE j.ctid = c.tid AND k.policy = c.policy AND k.lifecycle = c.lifecycle
        AND k.state = c.state AND k.phase = c.phase
      RETURNING j.id, j.version, j.born, j.updated_at, k.state AS from_state, j.state, j.phase,
        j.epoch, j.attempts, j.retry_count, j.progress, j.stage, j.message, k.is_quiet, j.user_key,
        j.organisation_key, j.priority, CASE WHEN j.run_at <> k.run_at THEN ${toMs('j.run_at')} END
        AS run_ms, j.deadline_at, nullif(j.max_attempts, k.max_attempts) AS tries, j.backoff_ms,
        CASE WHEN j.lease_expiry <> v_now + k.lease THEN ${toMs('j.lease_expiry')} END AS lease_ms,
        j.cancel_mode, j.cancel_reason,
        CASE WHEN j.created_at <> k.run_at THEN ${quickMs('j.created_at')} END AS created_ms,
        CASE WHEN j.started_at <> v_now OR j.phase <> 3 THEN ${quickMs('j.started_at')} END
        AS started_ms, j.completed_at, j.error, j.input, j.result, j.checkpoint, j.metadata,
        j.correlation_id, j.trace_id, j.requested_by, j.parent_job_id, j.document_id,
        j.job_limit_key, j.parent_kind, j.has_stages, k.head,
        CASE WHEN c.tid = k.first THEN json_build_array(v_tenant, v_type, v_queue,
          k.lifecycle, k.policy, j.state, j.phase, p_owner, v_ms, k.max_attempts,
          ${toMs('k.run_at')}, ${toMs('(v_now + k.lease)')}, CASE WHEN j.phase = 3 THEN v_ms END)
        END AS common),
    e AS (
      INSERT INTO pawl.events (${EVENT_COLUMNS})
      SELECT v_tenant, id, version, born, updated_at, 'job_claimed', from_state, state, phase,
        epoch, attempts, retry_count, progress, stage, message, p_actor, NULL, NULL
      FROM j WHERE NOT is_quiet),
    f AS (
      INSERT INTO pawl.feed (ts, tenants, jobs, versions)
      SELECT v_now, array_agg(v_tenant), array_agg(id), array_agg(version)
      FROM j WHERE NOT is_quiet HAVING count(*) > 0),
    s AS (
      INSERT INTO pawl.rate_starts SELECT k, v_ms FROM j CROSS JOIN LATERAL (
        VALUES (j.user_key), (j.organisation_key)) AS t(k)
      WHERE (j.user_key IS NOT NULL OR j.organisation_key IS NOT NULL) AND k IS NOT NULL)
    SELECT id, nullif(epoch, 1), nullif(version, 2), nullif(priority, 0), run_ms,
      ${toMs('deadline_at')}, nullif(attempts, 1), tries, nullif(retry_count, 0), backoff_ms,
      nullif(progress, 0), stage, message, lease_ms, cancel_mode, cancel_reason, created_ms,
      CASE WHEN updated_at <> v_now THEN ${quickMs('updated_at')} END, started_ms,
      ${quickMs('completed_at')}, error, input, result, checkpoint, metadata, correlation_id,
      trace_id, requested_by, parent_job_id, document_id, job_limit_key, parent_kind,
      CASE WHEN has_stages THEN pawl.stages_v1(v_tenant, id) END, head, common
    FROM j;
    GET DIAGNOSTICS v_got = ROW_COUNT;
    v_heads := v_heads + v_got;`;

const LANE = `v_tenant := v_tenants[v_lane]; v_queue := v_queues[v_lane];
    v_type := v_types[v_lane];`;

/** A share for each tenant and of that for each of its lanes, then what is left in that order. */
const CLAIM = `
CREATE FUNCTION pawl.claim_v4(p_owner text, p_actor text, p_types text[], p_max int,
  p_tenants int[], p_queues text[], p_request text, p_turn int, p_now double precision)
RETURNS TABLE (${BRIEF_FIELDS}) LANGUAGE plpgsql ${SORTLESS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz; v_ms int8; v_tenants int[]; v_queues text[]; v_types text[];
  v_queue_max int[]; v_type_max int[]; v_sizes int[]; v_ranks timestamp[]; v_seqs int8[];
  v_tenant int; v_queue text; v_type text; v_lanes int; v_groups int; v_lanes_left int;
  v_quota int; v_share int; v_got int; v_left int := p_max; v_heads int := 0;
BEGIN
  IF p_request IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(
      hashtextextended(p_owner || chr(31) || p_request, hashtext('pawl.claim')));
  END IF;
  PERFORM pg_advisory_xact_lock_shared(${VALVE_LOCK});
  v_now := ${NOW};
  v_ms := extract(epoch FROM v_now) * 1000;
  ${AGAIN}
  ${OPEN_LANES}
  ${IN_TURN}
  ${LOCK_ROOMS}
  FOR v_lane IN 1..v_lanes LOOP
    EXIT WHEN v_left <= 0;
    IF v_lane = 1 OR v_tenants[v_lane] <> v_tenants[v_lane - 1] THEN
      v_quota := ceil(v_left::numeric / v_groups);
      v_groups := v_groups - 1;
      v_lanes_left := coalesce(v_sizes[v_lane], v_lanes);
    END IF;
    v_share := ceil(v_quota::numeric / v_lanes_left);
    v_lanes_left := v_lanes_left - 1;
    ${ROOM}
    ${LANE}
    ${TAKE}
    v_left := v_left - v_got;
    v_quota := v_quota - v_got;
  END LOOP;
  FOR v_lane IN 1..CASE WHEN v_lanes > 1 THEN v_lanes ELSE 0 END LOOP
    EXIT WHEN v_left <= 0;
    v_share := v_left;
    ${ROOM}
    ${LANE}
    ${TAKE}
    v_left := v_left - v_got;
  END LOOP;
END $$;`;

export const BRIEF_CLAIM: readonly string[] = [STAGES, CLAIM];
