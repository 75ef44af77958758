import { JOB_FIELDS, jobSelect, quickJobSelect } from './row.ts';
import { byKey, EVENT_COLUMNS, NOW, SORTLESS } from './sql-text.ts';
import { LOCK_ROOMS, ROOM, VALVE_LOCK } from './valve-schema.ts';

const STAGES = `CASE WHEN j.has_stages THEN (
  SELECT json_agg(json_build_array(s.name, s.result::text,
    (extract(epoch FROM s.at) * 1000)::int8) ORDER BY s.n)
  FROM pawl.stage_results s WHERE s.tenant_id = j.tenant_id AND s.job_id = j.id) END`;

/** What became of the jobs `j`: their events, the feed's row, and a start for each rate. */
const told = (order: string, job: string): string => `e AS (
      INSERT INTO pawl.events (${EVENT_COLUMNS})
      SELECT tenant_id, id, version, born, updated_at, 'job_claimed', from_state, state, phase,
        epoch, attempts, retry_count, progress, stage, message, p_actor, NULL, NULL
      FROM j WHERE NOT is_quiet),
    f AS (
      INSERT INTO pawl.feed (ts, tenants, jobs, versions)
      SELECT v_now, array_agg(tenant_id ${order}), array_agg(id ${order}),
        array_agg(version ${order})
      FROM j WHERE NOT is_quiet HAVING count(*) > 0),
    s AS (
      INSERT INTO pawl.rate_starts SELECT k, v_ms FROM j CROSS JOIN LATERAL (
        VALUES (j.user_key), (j.organisation_key)) AS t(k)
      WHERE (j.user_key IS NOT NULL OR j.organisation_key IS NOT NULL) AND k IS NOT NULL)
    SELECT ${job}, ${STAGES}, v_ms FROM j ${order};
    GET DIAGNOSTICS v_got = ROW_COUNT;`;

const TOLD_IN_ORDER: string = told('ORDER BY rank_at, seq', jobSelect('j'));

/** What was locked in order is updated and told in that order, without sorting it again. */
const TOLD_AS_TAKEN: string = told('', quickJobSelect('j'));

/**
 * Takes up to v_share jobs of one lane. The CTE is materialised and the limit inside it, so that no
 * plan can lock more rows than it takes; rows that others hold are passed over. A job may have come
 * after the claim had looked at the clock and waited: it is taken at its own time then, not before.
 * It looks from the lane's first job on: what was taken before may still lie in the index, for as
 * long as somebody's old transaction keeps vacuum away, and is passed over once rather than twice.
 */
const TAKE = `RETURN QUERY
    WITH c AS MATERIALIZED (
      SELECT j.tenant_id, j.id, greatest(v_now, j.updated_at) AS at FROM pawl.jobs j
      WHERE j.tenant_id = v_tenants[v_lane] AND j.queue = v_queues[v_lane]
        AND j.type = v_types[v_lane] AND j.gate = 0
        AND (j.rank_at, j.seq) >= (v_ranks[v_lane], v_seqs[v_lane])
      ORDER BY j.rank_at, j.seq LIMIT v_share FOR UPDATE SKIP LOCKED),
    j AS (
      UPDATE pawl.jobs j SET state = m.to_state, phase = m.to_phase, epoch = j.epoch + m.epochs,
        version = CASE WHEN m.is_quiet THEN j.version ELSE j.version + 1 END,
        notes = CASE WHEN m.is_quiet THEN j.notes ELSE 0 END, gate = NULL,
        attempts = greatest(j.attempts, 1), lease_owner = p_owner, claim_request = p_request,
        lease_end = c.at + p.ttl_ms * interval '1 millisecond',
        lease_limit = least(c.at + p.timeout_ms * interval '1 millisecond', j.deadline_at),
        lease_expiry = least(j.deadline_at, c.at
          + least(p.ttl_ms, 2 * p.heartbeat_ms, p.timeout_ms) * interval '1 millisecond'),
        started_at = CASE WHEN m.to_phase = 3 THEN coalesce(j.started_at, c.at)
          ELSE j.started_at END, updated_at = c.at
      FROM c, pawl.claim_moves m, pawl.policies p
      WHERE ${byKey('j', { tenant: 'c.tenant_id', id: 'c.id' })}
        AND p.number = ANY (ARRAY[j.policy])
        AND m.lifecycle = ANY (ARRAY[j.lifecycle]) AND m.state = j.state AND m.phase = j.phase
      RETURNING j.*, m.state AS from_state, m.is_quiet),
    ${TOLD_IN_ORDER}`;

/**
 * The same at less: what all jobs of one policy and place have in common is looked up once rather
 * than for each, and a row that is locked by this very statement is found by where it lies.
 */
const leanTake = (told: string): string => `RETURN QUERY
    WITH c AS MATERIALIZED (
      SELECT j.ctid AS tid, j.policy, j.lifecycle, j.state, j.phase,
        greatest(v_now, j.updated_at) AS at FROM pawl.jobs j
      WHERE j.tenant_id = v_tenants[v_lane] AND j.queue = v_queues[v_lane]
        AND j.type = v_types[v_lane] AND j.gate = 0
        AND (j.rank_at, j.seq) >= (v_ranks[v_lane], v_seqs[v_lane])
      ORDER BY j.rank_at, j.seq LIMIT v_share FOR UPDATE SKIP LOCKED),
    k AS MATERIALIZED (
      SELECT d.*, m.to_state, m.to_phase, m.is_quiet, m.epochs,
        p.ttl_ms * interval '1 millisecond' AS ttl,
        p.timeout_ms * interval '1 millisecond' AS timeout,
        least(p.ttl_ms, 2 * p.heartbeat_ms, p.timeout_ms) * interval '1 millisecond' AS lease
      FROM (SELECT DISTINCT policy, lifecycle, state, phase FROM c) d, pawl.claim_moves m,
        pawl.policies p
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
      RETURNING j.*, k.state AS from_state, k.is_quiet),
    ${told}`;

/** Lanes with a claimable job and no paused valve, `n` in the order of their first jobs. */
const OPEN_LANES = `SELECT l.tenant_id, l.queue, l.type, h.rank_at, h.seq,
      q.concurrency AS queue_max, t.concurrency AS type_max,
      row_number() OVER (ORDER BY h.rank_at, h.seq) AS n
    FROM pawl.lanes l CROSS JOIN LATERAL (
      SELECT j.rank_at, j.seq FROM pawl.jobs j
      WHERE j.tenant_id = l.tenant_id AND j.queue = l.queue AND j.type = l.type AND j.gate = 0
      ORDER BY j.rank_at, j.seq LIMIT 1) h
    LEFT JOIN pawl.valves q
      ON q.tenant_id = l.tenant_id AND q.scope = 'queue' AND q.name = l.queue
    LEFT JOIN pawl.valves t ON t.tenant_id = l.tenant_id AND t.scope = 'type' AND t.name = l.type
    WHERE l.type = ANY (p_types) AND (p_tenants IS NULL OR l.tenant_id = ANY (p_tenants))
      AND (p_queues IS NULL OR l.queue = ANY (p_queues))
      AND (q.is_paused OR t.is_paused) IS NOT TRUE`;

/** Tenants in the order of their first lanes, turned on by the claim's turn. */
const LANES = `SELECT *, (number - 1 - p_turn % groups + groups) % groups AS place FROM (
    SELECT *, max(number) OVER () AS groups FROM (
      SELECT *, dense_rank() OVER (ORDER BY first) AS number FROM (
        SELECT *, min(n) OVER (PARTITION BY tenant_id) AS first,
          count(*) OVER (PARTITION BY tenant_id) AS size
        FROM (${OPEN_LANES}) a) b) c) d`;

/** A share for each tenant and of that for each of its lanes, then what is left in that order. */
const claim = (version: 1 | 2 | 3, take: string): string => `
CREATE FUNCTION pawl.claim_v${version}(p_owner text, p_actor text, p_types text[], p_max int,
  p_tenants int[], p_queues text[], p_request text, p_turn int, p_now double precision)
RETURNS TABLE (${JOB_FIELDS}, stages json, at int8) LANGUAGE plpgsql ${SORTLESS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz; v_ms int8; v_tenants int[]; v_queues text[]; v_types text[];
  v_queue_max int[]; v_type_max int[]; v_sizes int[]; v_ranks timestamp[];
  v_seqs int8[]; v_lanes int; v_groups int; v_lanes_left int;
  v_quota int; v_share int; v_got int; v_left int := p_max;
BEGIN
  IF p_request IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(
      hashtextextended(p_owner || chr(31) || p_request, hashtext('pawl.claim')));
  END IF;
  PERFORM pg_advisory_xact_lock_shared(${VALVE_LOCK});
  v_now := ${NOW};
  v_ms := extract(epoch FROM v_now) * 1000;
  IF p_request IS NOT NULL THEN
    RETURN QUERY SELECT ${jobSelect('j')}, ${STAGES}, v_ms FROM pawl.jobs j
    WHERE j.lease_owner = p_owner AND j.phase IN (2, 3) AND j.claim_request = p_request
      AND j.lease_expiry > v_now AND (p_tenants IS NULL OR j.tenant_id = ANY (p_tenants))
    ORDER BY j.seq;
    IF FOUND THEN RETURN; END IF;
  END IF;
  SELECT array_agg(tenant_id ORDER BY place, n), array_agg(queue ORDER BY place, n),
    array_agg(type ORDER BY place, n), array_agg(queue_max ORDER BY place, n),
    array_agg(type_max ORDER BY place, n), array_agg(size ORDER BY place, n),
    array_agg(rank_at ORDER BY place, n), array_agg(seq ORDER BY place, n), count(*), max(groups)
  INTO v_tenants, v_queues, v_types, v_queue_max, v_type_max, v_sizes, v_ranks, v_seqs, v_lanes,
    v_groups
  FROM (${LANES}) lanes;
  ${LOCK_ROOMS}
  FOR v_lane IN 1..v_lanes LOOP
    EXIT WHEN v_left <= 0;
    IF v_lane = 1 OR v_tenants[v_lane] <> v_tenants[v_lane - 1] THEN
      v_quota := ceil(v_left::numeric / v_groups);
      v_groups := v_groups - 1;
      v_lanes_left := v_sizes[v_lane];
    END IF;
    v_share := ceil(v_quota::numeric / v_lanes_left);
    v_lanes_left := v_lanes_left - 1;
    ${ROOM}
    ${take}
    v_left := v_left - v_got;
    v_quota := v_quota - v_got;
  END LOOP;
  FOR v_lane IN 1..CASE WHEN v_lanes > 1 THEN v_lanes ELSE 0 END LOOP
    EXIT WHEN v_left <= 0;
    v_share := v_left;
    ${ROOM}
    ${take}
    v_left := v_left - v_got;
  END LOOP;
END $$;`;

export const CLAIM_FUNCTION: string = claim(1, TAKE);

export const LEAN_CLAIM_FUNCTION: string = claim(2, leanTake(TOLD_IN_ORDER));

export const QUICK_CLAIM_FUNCTION: string = claim(3, leanTake(TOLD_AS_TAKEN));
