-- Lanes with a claimable job and no paused limit, and whether this claim was made before. p_hints: by
-- lane, where to begin to look.
CREATE FUNCTION open_lanes(p_types text[], p_tenants int[], p_queues text[], p_key int8,
  p_hints json, v_now timestamptz, OUT lanes int[], OUT tenants int[], OUT ranks int8[],
  OUT seqs int8[], OUT is_known boolean, OUT queue_max int[], OUT type_max int[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  SELECT array_agg(x.number), array_agg(x.tenant), array_agg(x.rank_at), array_agg(x.seq),
    EXISTS (SELECT FROM lanes l JOIN live j ON j.lane = l.number
      WHERE l.claim_type = ANY (p_types) AND j.claim_key = p_key AND j.phase IN (2, 3)),
    array_agg(x.queue_max), array_agg(x.type_max)
  INTO lanes, tenants, ranks, seqs, is_known, queue_max, type_max
  FROM (
    SELECT l.number, l.tenant, h.rank_at, h.seq, q.concurrency AS queue_max,
      t.concurrency AS type_max
    FROM lanes l CROSS JOIN LATERAL (
      SELECT j.rank_at, j.seq FROM live j WHERE j.lane = l.number AND j.gate = 0
        AND (j.rank_at, j.seq) >= (
          coalesce((p_hints -> l.number::text ->> 0)::int8, -9223372036854775808),
          coalesce((p_hints -> l.number::text ->> 1)::int8, 0))
      ORDER BY j.rank_at, j.seq LIMIT 1) h
    LEFT JOIN limits q ON q.tenant = l.tenant AND q.scope = 'queue' AND q.name = l.queue
    LEFT JOIN limits t ON t.tenant = l.tenant AND t.scope = 'type' AND t.name = l.type
    WHERE l.claim_type = ANY (p_types) AND (p_tenants IS NULL OR l.tenant = ANY (p_tenants))
      AND (p_queues IS NULL OR l.queue = ANY (p_queues))
      AND (q.is_paused AND (q.paused_until > v_now) IS NOT FALSE
        OR t.is_paused AND (t.paused_until > v_now) IS NOT FALSE) IS NOT TRUE
    ORDER BY h.rank_at, h.seq) x;
END $$;

-- Lanes of several tenants in the order of a claim: tenants take turns at being the first, and a
-- tenant's lanes stand together.
CREATE FUNCTION in_turns(p_turn int, INOUT lanes int[], INOUT tenants int[], INOUT queue_max int[],
  INOUT type_max int[], INOUT ranks int8[], INOUT seqs int8[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  SELECT array_agg(lane ORDER BY place, n), array_agg(tenant ORDER BY place, n),
    array_agg(q ORDER BY place, n), array_agg(t ORDER BY place, n),
    array_agg(rank_at ORDER BY place, n), array_agg(seq ORDER BY place, n)
  INTO lanes, tenants, queue_max, type_max, ranks, seqs
  FROM (SELECT *, (number - 1 - p_turn % groups + groups) % groups AS place FROM (
    SELECT *, max(number) OVER () AS groups FROM (
      SELECT *, dense_rank() OVER (ORDER BY first) AS number FROM (
        SELECT *, min(n) OVER (PARTITION BY tenant) AS first
        FROM unnest(lanes, tenants, queue_max, type_max, ranks, seqs)
          WITH ORDINALITY AS a(lane, tenant, q, t, rank_at, seq, n)) b) c) d) e;
END $$;

-- Claims hold this lock together, a change of limits holds it alone: whoever has changed one knows
-- that no claim is under way that has not seen it.
CREATE FUNCTION limits_lock() RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT 8090891354062812001::int8
$$;

-- Everyone locks the limits that count in the same order.
CREATE FUNCTION lock_limits(p_lanes int[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM FROM limits v WHERE v.concurrency IS NOT NULL AND (v.tenant, v.scope, v.name) IN (
    SELECT l.tenant, 'queue', l.queue FROM lanes l WHERE l.number = ANY (p_lanes)
    UNION SELECT l.tenant, 'type', l.type FROM lanes l WHERE l.number = ANY (p_lanes))
  ORDER BY v.tenant, v.scope, v.name FOR UPDATE;
END $$;

-- How many more of a lane its limits have room for, counted while they are locked; p_taken are the
-- lanes of what this very claim has locked already.
CREATE FUNCTION room_in(p_lane int, p_queue_max int, p_type_max int, p_taken int[]) RETURNS int
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_of_queue int[]; v_of_type int[];
BEGIN
  SELECT array_agg(o.number) FILTER (WHERE o.queue = l.queue),
    array_agg(o.number) FILTER (WHERE o.type = l.type) INTO v_of_queue, v_of_type
  FROM lanes l JOIN lanes o ON o.tenant = l.tenant WHERE l.number = p_lane;
  RETURN least(p_queue_max - owned_in(v_of_queue, p_taken), p_type_max - owned_in(v_of_type, p_taken));
END $$;
CREATE FUNCTION owned_in(p_lanes int[], p_taken int[]) RETURNS int LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT count(*) FROM live j WHERE j.lane = ANY (p_lanes) AND j.phase IN (2, 3))
    + (SELECT count(*) FROM unnest(p_taken) x WHERE x = ANY (p_lanes));
END $$;

-- What a claim has locked. kind: version, policy and place. oddness: 0 where each is a plain job
-- that is claimed for the first time, 2 where somebody's list of positions is full.
CREATE TYPE taken AS (
  tids tid[], ids uuid[], kind int8, kind_max int8, oddness int, last_at timestamptz
);

CREATE FUNCTION joined(a taken, b taken) RETURNS taken LANGUAGE sql IMMUTABLE AS $$
  SELECT (a).tids || (b).tids, (a).ids || (b).ids, least((a).kind, (b).kind),
    greatest((a).kind_max, (b).kind_max), greatest((a).oddness, (b).oddness),
    greatest((a).last_at, (b).last_at)
$$;

-- What of these jobs does not go without saying: everything that a plain first claim would not have.
CREATE FUNCTION oddities(p_ids uuid[], p_owner int, p_token int8) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT json_agg(json_build_object('id', j.id, 'tenant', j.tenant, 'runAt', ms(j.run_at),
      'deadlineAt', ms(j.deadline_at), 'priority', j.priority, 'progress', j.progress,
      'startedAt', ms(j.started_at), 'updatedAt', ms(j.updated_at),
      'leaseExpiry', ms(j.lease_expiry), 'backoffMs', j.backoff_ms, 'cancelMode', j.cancel_mode,
      'revision', j.revision, 'isPinned', j.flags & 32 > 0,
      'stage', d.stage, 'message', d.message, 'cancelReason', d.cancel_reason,
      'checkpoint', d.checkpoint::text, 'error', d.error::text, 'input', d.input::text,
      'stages', CASE WHEN j.flags & 8 > 0 THEN (
        SELECT json_agg(json_build_array(s.name, s.result::text, ms(s.at)) ORDER BY s.n)
        FROM stages s WHERE s.id = j.id AND s.tenant = j.tenant) END))
    FROM live j LEFT JOIN details d
      ON j.flags & 4 > 0 AND d.id = ANY (ARRAY[j.id]) AND d.tenant = j.tenant
    WHERE j.id = ANY (p_ids) AND j.owner = p_owner AND j.token = p_token);
END $$;

-- The positions of a job with one more, null for none; a full list begins anew.
CREATE FUNCTION more_with(p_more int8[], p_n int8) RETURNS int8[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_n IS NULL THEN CASE WHEN cardinality(p_more) >= 31 THEN NULL ELSE p_more END
    WHEN cardinality(p_more) >= 31 THEN ARRAY[p_n] ELSE p_more || p_n END
$$;

-- Gives what was locked to the owner, one policy and place after the other: its rows and, for each
-- lane, its entry in the log. Numbers are drawn now, after all rows are locked.
CREATE FUNCTION grant_all(t taken, p_owner int, p_actor text, p_token int8, p_key int8,
  v_now timestamptz) RETURNS json[] LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE k record; v_group json; v_groups json[]; v_has_texts boolean;
BEGIN
  FOR k IN SELECT x.kind, p.number AS policy, p.lifecycle, m.from_state, m.to_state, m.to_phase,
      m.epochs, m.is_quiet, p.ttl, p.timeout, least(p.ttl, p.heartbeats, p.timeout) AS lease
    FROM (SELECT DISTINCT (j.policy::int8 << 16) | (j.state << 4) | j.phase AS kind
      FROM live j WHERE j.ctid = ANY (t.tids)) x
    LEFT JOIN policies p ON p.number = (x.kind >> 16)::int
    LEFT JOIN moves m ON m.lifecycle = p.lifecycle AND m.is_claim
      AND m.from_state = ((x.kind >> 4) & 4095)::int2 AND m.from_phase = (x.kind & 15)::int2
  LOOP
    v_has_texts := t.oddness > 0 AND NOT k.is_quiet AND EXISTS (
      SELECT FROM live j JOIN details d ON d.id = j.id AND d.tenant = j.tenant
      WHERE j.ctid = ANY (t.tids) AND j.flags & 4 > 0 AND coalesce(d.stage, d.message) IS NOT NULL
        AND ((j.policy::int8 << 16) | (j.state << 4) | j.phase) = k.kind);
    -- Only written down here: an update of the rows would move them away from where they were locked.
    IF t.oddness > 1 AND NOT k.is_quiet THEN
      INSERT INTO positions
      SELECT j.id, j.tenant, j.version, array_remove(j.more_n || j.claim_n, NULL) FROM live j
      WHERE j.ctid = ANY (t.tids) AND cardinality(j.more_n) >= 31
        AND ((j.policy::int8 << 16) | (j.state << 4) | j.phase) = k.kind;
    END IF;
    WITH g AS MATERIALIZED (
      SELECT j.lane, CASE WHEN NOT k.is_quiet THEN draw() END AS n, array_agg(j.id) AS ids,
        array_agg(j.version + 1) AS versions, array_agg(j.epoch + k.epochs) AS epochs,
        array_agg(greatest(j.attempts, 1)) AS attempts, array_agg(j.retry_count) AS retries,
        array_agg(j.progress) AS progress
      FROM live j WHERE j.ctid = ANY (t.tids)
        AND ((j.policy::int8 << 16) | (j.state << 4) | j.phase) = k.kind GROUP BY j.lane),
    w AS (
      INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, from_state, to_state, phase, has_texts,
        actor, jobs, versions, epochs, attempts, retries, progress)
      SELECT g.n, v_now, l.tenant, l.number, k.lifecycle, 3, k.from_state, k.to_state, k.to_phase,
        v_has_texts, p_actor, g.ids, alike(g.versions), alike(g.epochs), alike(g.attempts),
        alike(g.retries), alike(g.progress)
      FROM g JOIN lanes l ON l.number = g.lane WHERE NOT k.is_quiet),
    u AS (
      UPDATE live j SET state = k.to_state, phase = k.to_phase, epoch = j.epoch + k.epochs,
        version = CASE WHEN k.is_quiet THEN j.version ELSE j.version + 1 END,
        notes = CASE WHEN k.is_quiet THEN j.notes ELSE 0 END, gate = NULL,
        attempts = greatest(j.attempts, 1), owner = p_owner, token = p_token, claim_key = p_key,
        claim_n = coalesce(g.n, j.claim_n),
        more_n = CASE WHEN k.is_quiet THEN j.more_n ELSE more_with(j.more_n, j.claim_n) END,
        flags = CASE WHEN NOT k.is_quiet AND cardinality(j.more_n) >= 31 THEN j.flags | 16
          ELSE j.flags END,
        lease_end = v_now + k.ttl,
        lease_limit = least(v_now + k.timeout, j.deadline_at),
        lease_expiry = least(j.deadline_at, v_now + k.lease),
        started_at = CASE WHEN k.to_phase = 3 THEN
          coalesce(j.started_at, v_now) ELSE j.started_at END,
        updated_at = v_now
      FROM g WHERE j.ctid = ANY (t.tids) AND g.lane = j.lane
        AND ((j.policy::int8 << 16) | (j.state << 4) | j.phase) = k.kind
      RETURNING j.id, j.lane, j.epoch, j.version, j.attempts, j.retry_count, j.rank_at, j.seq)
    SELECT json_build_object('policy', k.policy, 'lifecycle', k.lifecycle, 'state', k.to_state,
      'phase', k.to_phase, 'leaseMs', extract(epoch FROM k.lease) * 1000, 'ids', array_agg(u.id),
      'lanes', alike(array_agg(u.lane)), 'epochs', alike(array_agg(u.epoch)),
      'versions', alike(array_agg(u.version)), 'attempts', alike(array_agg(u.attempts)),
      'retries', alike(array_agg(u.retry_count)))
    INTO v_group FROM (SELECT * FROM u ORDER BY u.rank_at, u.seq) u;
    v_groups := v_groups || v_group;
    IF v_has_texts THEN
      INSERT INTO log_texts (n, id, tenant, stage, message)
      SELECT j.claim_n, j.id, j.tenant, d.stage, d.message FROM live j
      JOIN details d ON d.id = j.id AND d.tenant = j.tenant
      WHERE j.id IN (SELECT e::uuid FROM json_array_elements_text(v_group -> 'ids') e)
        AND j.owner = p_owner AND j.token = p_token AND j.flags & 4 > 0
        AND coalesce(d.stage, d.message) IS NOT NULL;
    END IF;
  END LOOP;
  RETURN v_groups;
END $$;

-- What the same claim has won before and its owner still has.
CREATE FUNCTION claimed_before(p_key int8, p_types text[], p_owner int, p_tenants int[],
  v_now timestamptz, OUT ids uuid[], OUT token int8, OUT groups json[], OUT has_other boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH y AS MATERIALIZED (
    SELECT j.* FROM lanes l JOIN live j ON j.lane = l.number
    WHERE l.claim_type = ANY (p_types) AND j.claim_key = p_key AND j.phase IN (2, 3)
      AND j.owner = p_owner AND j.lease_expiry > v_now
      AND (p_tenants IS NULL OR j.tenant = ANY (p_tenants)))
  SELECT array_agg(x.id), max(x.token), array_agg(json_build_object('policy', x.policy,
      'lifecycle', x.lifecycle, 'state', x.state, 'phase', x.phase, 'leaseMs', 0,
      'ids', ARRAY[x.id], 'lanes', ARRAY[x.lane], 'epochs', ARRAY[x.epoch],
      'versions', ARRAY[x.version], 'attempts', ARRAY[x.attempts], 'retries', ARRAY[x.retry_count])),
    bool_or(x.flags & 1 > 0)
  INTO ids, token, groups, has_other
  -- An id that was free again may have been used before: the last claim is meant.
  FROM (SELECT * FROM y WHERE y.token = (SELECT z.token FROM y z ORDER BY z.lease_end DESC LIMIT 1)
    ORDER BY y.rank_at, y.seq) x;
END $$;

-- Claimed jobs without a revision get the one that is offered for their type, and with one that pins
-- them its lane too. Lanes are made in the order of their numbers: claims that make the same wait for
-- each other, and never in a circle.
CREATE FUNCTION fix_revisions(p_ids uuid[], p_lanes int[], p_owner int, p_token int8,
  p_revisions json) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record; v_lane int;
BEGIN
  FOR x IN SELECT l.number, l.tenant, l.queue, l.type, p_revisions -> l.type ->> 'name' AS name,
      (p_revisions -> l.type ->> 'pin')::boolean AS pin
    FROM lanes l WHERE l.number = ANY (p_lanes) AND l.claim_type = l.type
      AND p_revisions -> l.type IS NOT NULL ORDER BY l.number
  LOOP
    v_lane := x.number;
    IF x.pin THEN
      SELECT n.number INTO v_lane
      FROM name_lanes(ARRAY[x.tenant], ARRAY[x.queue], ARRAY[x.type], x.name) n;
    END IF;
    UPDATE live j SET revision = x.name, lane = v_lane,
      flags = CASE WHEN x.pin THEN j.flags | 32 ELSE j.flags END
    WHERE j.id = ANY (p_ids) AND j.lane = x.number AND j.owner = p_owner AND j.token = p_token
      AND j.revision IS NULL;
  END LOOP;
END $$;

-- Takes up to p_max jobs: a share for each tenant and of that for each of its lanes, then what is
-- left in that order. Rows: one with the head, then one a job with its facts (a row of another
-- tenant under the same id is left to the caller to pass over). p_hints: by lane, where to begin to
-- look. With moves they are made first, and the claim sees what they left: both are done, or neither;
-- what became of them is a head before the other. What one job costs here is what it waits for at
-- idle, so the common case is written out: calls of functions and lists that nobody needs would make
-- up half of it.
CREATE FUNCTION claim(p_owner int, p_actor text, p_types text[], p_max int, p_tenants int[],
  p_queues text[], p_key int8, p_token int8, p_turn int, p_hints json,
  p_revisions json, p_now float8, p_ids text[] DEFAULT NULL, p_of_tenants text[] DEFAULT NULL,
  p_epochs text[] DEFAULT NULL, p_results json[] DEFAULT NULL, p_owners int[] DEFAULT NULL,
  p_tokens int8[] DEFAULT NULL, p_actors text[] DEFAULT NULL, p_lifecycles int[] DEFAULT NULL,
  p_states int2[] DEFAULT NULL, p_to_states int2[] DEFAULT NULL, p_moves json DEFAULT NULL,
  p_wait_ms int DEFAULT NULL)
RETURNS TABLE (id uuid, tenant int, created_at int8, input json, metadata json, labels job_labels,
  head json)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz; o record; t taken; v taken; k record; v_lanes int; v_left int := p_max;
  v_share int; v_tenants int := 1; v_quota int; v_of int := 1; v_before record; l int; v_lane int;
  v_taken int[]; v_givers int := 0; v_groups json[]; v_odd json; v_n int8; v_void text;
  v_first uuid; v_last uuid; v_walked int8; v_ends tid[]; v_line json; v_version int; v_rank int8; v_seq int8;
  v_has_limits boolean := true; v_queue_max int[]; v_type_max int[];
BEGIN
  IF p_wait_ms IS NOT NULL THEN
    SELECT json_agg(json_build_array(a.part, a.ords::text, a.versions::text, a.at)) INTO head
    FROM apply_moves(p_ids, p_of_tenants, p_epochs, p_results, p_owners, p_tokens, p_actors,
      p_lifecycles, p_states, p_to_states, p_moves, p_wait_ms, p_now) a;
    RETURN NEXT;
  END IF;
  IF p_key IS NOT NULL THEN v_void := pg_advisory_xact_lock(p_key); END IF;
  v_void := pg_advisory_xact_lock_shared(limits_lock());
  v_now := clock(p_now);
  v_walked := pg_stat_get_xact_tuples_returned('live_claim'::regclass);
  IF p_hints IS NULL THEN
    SELECT array_agg(x.number) AS lanes, array_agg(x.tenant) AS tenants,
      array_agg(x.rank_at) AS ranks, array_agg(x.seq) AS seqs,
      EXISTS (SELECT FROM lanes l JOIN live j ON j.lane = l.number
        WHERE l.claim_type = ANY (p_types) AND j.claim_key = p_key AND j.phase IN (2, 3)) AS is_known,
      EXISTS (SELECT FROM limits) AS has_limits
    INTO o FROM (
      SELECT l.number, l.tenant, h.rank_at, h.seq FROM lanes l CROSS JOIN LATERAL (
        SELECT j.rank_at, j.seq FROM live j WHERE j.lane = l.number AND j.gate = 0
        ORDER BY j.rank_at, j.seq LIMIT 1) h
      WHERE l.claim_type = ANY (p_types) AND (p_tenants IS NULL OR l.tenant = ANY (p_tenants))
        AND (p_queues IS NULL OR l.queue = ANY (p_queues)) ORDER BY h.rank_at, h.seq) x;
    v_has_limits := o.has_limits;
  END IF;
  IF v_has_limits THEN
    SELECT *, true AS has_limits INTO o
    FROM open_lanes(p_types, p_tenants, p_queues, p_key, p_hints, v_now);
  END IF;
  IF o.is_known THEN
    SELECT * INTO v_before FROM claimed_before(p_key, p_types, p_owner, p_tenants, v_now);
    t.ids := v_before.ids;
  END IF;
  IF t.ids IS NOT NULL THEN
    p_token := v_before.token;
    t.oddness := v_before.has_other::int;
    v_groups := v_before.groups;
    v_odd := oddities(t.ids, p_owner, p_token);
  ELSE
    v_lanes := cardinality(o.lanes);
    IF v_lanes IS NULL THEN RETURN; END IF;
    IF v_has_limits THEN
      v_queue_max := o.queue_max;
      v_type_max := o.type_max;
      IF array_remove(v_queue_max || v_type_max, NULL) <> '{}' THEN PERFORM lock_limits(o.lanes); END IF;
    END IF;
    IF v_lanes > 1 AND o.tenants[1] <> ANY (o.tenants) THEN
      SELECT * INTO o FROM in_turns(p_turn, o.lanes, o.tenants, v_queue_max, v_type_max, o.ranks,
        o.seqs);
      v_queue_max := o.queue_max;
      v_type_max := o.type_max;
      SELECT count(DISTINCT x) INTO v_tenants FROM unnest(o.tenants) x;
    END IF;
    FOR i IN 1..CASE WHEN v_lanes > 1 THEN 2 * v_lanes ELSE 1 END LOOP
      EXIT WHEN v_left <= 0;
      l := (i - 1) % v_lanes + 1;
      CONTINUE WHEN o.ranks[l] IS NULL;
      IF i <= v_lanes AND (i = 1 OR o.tenants[i] <> o.tenants[i - 1]) THEN
        v_quota := ceil(v_left::numeric / v_tenants);
        v_tenants := v_tenants - 1;
        IF v_lanes > 1 THEN
          SELECT count(*) INTO v_of FROM unnest(o.tenants) x WHERE x = o.tenants[i];
        END IF;
      END IF;
      v_share := CASE WHEN i > v_lanes THEN v_left ELSE ceil(v_quota::numeric / v_of) END;
      v_of := v_of - 1;
      IF v_queue_max[l] IS NOT NULL OR v_type_max[l] IS NOT NULL THEN
        v_share := least(v_share, room_in(o.lanes[l], v_queue_max[l], v_type_max[l], v_taken));
      END IF;
      CONTINUE WHEN v_share <= 0;
      -- Rows that others hold are passed over. The look begins at the lane's first job: what was
      -- taken before may still lie in the index, for as long as somebody's old transaction keeps
      -- vacuum away, and is passed over once rather than twice.
      SELECT array_agg(x.tid), array_agg(x.id), min(x.kind), max(x.kind), max(x.oddness),
        max(x.updated_at)
      INTO v FROM (
        SELECT j.ctid AS tid, j.id, j.updated_at, (j.version::int8 << 48)
            | ((j.policy::int8 & 4294967295) << 16) | (j.state << 4) | j.phase AS kind,
          CASE WHEN cardinality(j.more_n) >= 31 THEN 2
            WHEN j.flags <> 0 OR j.version > 2 OR j.epoch > 1 OR j.attempts <> 0 OR j.progress <> 0
              OR j.claim_n IS NOT NULL OR j.updated_at <> j.run_at OR j.priority <> 0
              OR j.deadline_at IS NOT NULL THEN 1 ELSE 0 END AS oddness
        FROM live j WHERE j.lane = o.lanes[l] AND j.gate = 0
          AND (j.rank_at, j.seq) >= (o.ranks[l], o.seqs[l])
        ORDER BY j.rank_at, j.seq LIMIT v_share FOR UPDATE SKIP LOCKED) x;
      o.ranks[l] := NULL;
      CONTINUE WHEN v.ids IS NULL;
      v_lane := l;
      v_givers := v_givers + 1;
      v_left := v_left - cardinality(v.ids);
      v_quota := v_quota - cardinality(v.ids);
      v_ends := v_ends || v.tids[cardinality(v.tids)];
      IF v_lanes > 1 THEN
        -- From where the second round goes on; a lane that gave all it had is left out of it.
        IF cardinality(v.ids) = v_share AND i <= v_lanes THEN
          SELECT j.rank_at, j.seq + 1 INTO v_rank, v_seq FROM live j WHERE j.ctid = v.tids[v_share];
          o.ranks[l] := v_rank;
          o.seqs[l] := v_seq;
        END IF;
        v_taken := v_taken || array_fill(o.lanes[l], ARRAY[cardinality(v.ids)]);
      END IF;
      IF t.ids IS NULL THEN t := v; ELSE t := joined(t, v); END IF;
    END LOOP;
    IF t.ids IS NULL THEN RETURN; END IF;
    v_walked := pg_stat_get_xact_tuples_returned('live_claim'::regclass) - v_walked;
    IF p_hints IS NOT NULL OR v_walked > 2 * p_max + 2000 THEN
      SELECT json_agg(json_build_array(j.lane, j.rank_at::text, j.seq::text)) INTO v_line
      FROM live j WHERE j.ctid = ANY (v_ends);
    END IF;
    -- Read once all rows are locked: no job is taken before it came.
    v_now := greatest(clock(p_now), t.last_at);
    IF v_givers = 1 AND t.oddness = 0 AND t.kind = t.kind_max THEN
      v_version := (t.kind >> 48) + 1;
      SELECT p.number AS policy, p.lifecycle, m.from_state, m.to_state, m.to_phase, p.ttl, p.timeout,
        least(p.ttl, p.heartbeats, p.timeout) AS lease INTO k
      FROM policies p JOIN moves m ON m.lifecycle = p.lifecycle AND m.is_claim
        AND m.from_state = ((t.kind >> 4) & 4095)::int2 AND m.from_phase = (t.kind & 15)::int2
      WHERE p.number = ((t.kind >> 16) & 4294967295)::bit(32)::int AND m.epochs = 0 AND NOT m.is_quiet;
      v_n := CASE WHEN k.policy IS NOT NULL THEN draw() END;
    END IF;
    IF v_n IS NULL THEN
      v_groups := grant_all(t, p_owner, p_actor, p_token, p_key, v_now);
    ELSE
      INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, from_state, to_state, phase, has_texts,
        actor, jobs, versions, epochs, attempts, retries, progress)
      VALUES (v_n, v_now, o.tenants[v_lane], o.lanes[v_lane], k.lifecycle, 3, k.from_state,
        k.to_state, k.to_phase, false, p_actor, t.ids, ARRAY[v_version], '{1}', '{1}', '{0}',
        '{0}');
      UPDATE live j SET state = k.to_state, phase = k.to_phase, version = v_version,
        gate = NULL, attempts = 1, owner = p_owner, token = p_token, claim_key = p_key, claim_n = v_n,
        lease_end = v_now + k.ttl, lease_limit = v_now + k.timeout, lease_expiry = v_now + k.lease,
        started_at = CASE WHEN k.to_phase = 3 THEN v_now END, updated_at = v_now
      WHERE j.ctid = ANY (t.tids);
      v_groups := ARRAY[json_build_object('policy', k.policy, 'lifecycle', k.lifecycle,
        'state', k.to_state, 'phase', k.to_phase, 'leaseMs', extract(epoch FROM k.lease) * 1000,
        'ids', t.ids, 'lanes', o.lanes[v_lane:v_lane], 'epochs', '{1}'::int[],
        'versions', ARRAY[v_version], 'attempts', '{1}'::int[], 'retries', '{0}'::int[])];
    END IF;
    IF p_revisions IS NOT NULL THEN
      PERFORM fix_revisions(t.ids, o.lanes, p_owner, p_token, p_revisions);
    END IF;
    IF t.oddness > 0 THEN v_odd := settle_odd(t.ids, p_owner, p_token, v_now); END IF;
  END IF;
  head := json_build_object('at', ms(v_now), 'token', p_token::text, 'groups', v_groups,
    'odd', v_odd, 'line', v_line);
  RETURN NEXT;
  -- With its bounds known, a plan opens none of the partitions outside of them.
  v_first := t.ids[1];
  v_last := v_first;
  IF cardinality(t.ids) > 1 THEN
    SELECT x INTO v_first FROM unnest(t.ids) x ORDER BY x LIMIT 1;
    SELECT x INTO v_last FROM unnest(t.ids) x ORDER BY x DESC LIMIT 1;
  END IF;
  RETURN QUERY SELECT f.id, f.tenant, (date_part('epoch', f.created_at) * 1000)::int8, f.input,
    f.metadata, labels_of(f), NULL::json
  FROM facts f WHERE f.id = ANY (t.ids) AND f.id >= v_first AND f.id <= v_last;
  IF t.oddness > 0 THEN
    RETURN QUERY SELECT f.id, f.tenant, ms(f.created_at), f.input,
      f.metadata, labels_of(ROW(f.*)::facts), NULL::json
    FROM facts_other f WHERE f.id = ANY (t.ids);
  END IF;
END $$;

-- After the jobs are the owner's: those with keys are no longer in any line, and each start is
-- counted. Says what of all of them does not go without saying.
CREATE FUNCTION settle_odd(p_ids uuid[], p_owner int, p_token int8, v_now timestamptz) RETURNS json
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH u AS (
    UPDATE keys k SET gate = NULL, is_owned = true FROM live j
    WHERE j.id = ANY (p_ids) AND j.flags & 2 > 0 AND j.owner = p_owner AND j.token = p_token
      AND k.id = j.id AND k.tenant = j.tenant
    RETURNING k.user_key, k.organisation_key)
  INSERT INTO rate_starts SELECT x.key, ms(v_now) FROM u CROSS JOIN LATERAL (
    VALUES (u.user_key), (u.organisation_key)) AS x(key) WHERE x.key IS NOT NULL;
  RETURN oddities(p_ids, p_owner, p_token);
END $$;
