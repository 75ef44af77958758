-- Lanes with a claimable job and no paused limit, in the order of a claim: tenants take turns at
-- being the first, and a tenant's lanes stand together. p_from: where to begin to look, by lane.
CREATE FUNCTION open_lanes(p_types text[], p_tenants int[], p_queues text[], p_turn int,
  p_hints json, v_now timestamptz, OUT lanes int[], OUT tenants int[], OUT queue_max int[], OUT type_max int[],
  OUT ranks int8[], OUT seqs int8[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_groups int;
BEGIN
  SELECT array_agg(number), array_agg(tenant), array_agg(queue_max), array_agg(type_max),
    array_agg(rank_at), array_agg(seq)
  INTO lanes, tenants, queue_max, type_max, ranks, seqs
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
  IF lanes IS NULL OR tenants[1] = ALL (tenants) THEN RETURN; END IF;
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

-- What a claim has locked, of one policy and place after the other.
CREATE TYPE taken AS (
  tids tid[], ids uuid[], lanes int[], kinds int8[], epochs int[], versions int[], attempts int[],
  retries int[], progress real[], is_odd boolean, is_full boolean, last_rank int8, last_seq int8, last_at timestamptz
);

-- Locks up to p_share jobs of one lane; rows that others hold are passed over. It looks from the
-- lane's first job on: what was taken before may still lie in the index, for as long as somebody's
-- old transaction keeps vacuum away, and is passed over once rather than twice.
CREATE FUNCTION take(p_lane int, p_rank int8, p_seq int8, p_share int) RETURNS taken LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE t taken;
BEGIN
  SELECT array_agg(x.tid), array_agg(x.id), array_fill(p_lane, ARRAY[count(*)::int]),
    array_agg(x.kind), array_agg(x.epoch), array_agg(x.version), array_agg(x.attempts),
    array_agg(x.retry_count), array_agg(x.progress), bool_or(x.is_odd), bool_or(x.is_full),
    (array_agg(x.rank_at))[count(*)], (array_agg(x.seq))[count(*)], max(x.updated_at)
  INTO t FROM (
    SELECT j.ctid AS tid, j.id, (j.policy::int8 << 16) | (j.state << 4) | j.phase AS kind, j.epoch,
      j.version + 1 AS version, greatest(j.attempts, 1) AS attempts, j.retry_count, j.progress, j.rank_at, j.seq,
      j.updated_at, j.flags <> 0 OR j.version > 2 OR j.epoch > 1 OR j.progress <> 0
        OR j.updated_at <> j.run_at OR j.priority <> 0 OR j.deadline_at IS NOT NULL AS is_odd,
      cardinality(j.more_n) >= 31 AS is_full
    FROM live j WHERE j.lane = p_lane AND j.gate = 0 AND (j.rank_at, j.seq) >= (p_rank, p_seq)
    ORDER BY j.rank_at, j.seq LIMIT p_share FOR UPDATE SKIP LOCKED) x;
  RETURN t;
END $$;

CREATE FUNCTION joined(a taken, b taken) RETURNS taken LANGUAGE sql IMMUTABLE AS $$
  SELECT (a).tids || (b).tids, (a).ids || (b).ids, (a).lanes || (b).lanes, (a).kinds || (b).kinds,
    (a).epochs || (b).epochs, (a).versions || (b).versions, (a).attempts || (b).attempts,
    (a).retries || (b).retries, (a).progress || (b).progress,
    coalesce((a).is_odd, false) OR (b).is_odd, coalesce((a).is_full, false) OR (b).is_full,
    NULL::int8, NULL::int8, greatest((a).last_at, (b).last_at)
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

-- The facts that go with claimed jobs; a row of another tenant under the same id is left to the
-- caller to pass over.
CREATE FUNCTION facts_of(p_ids uuid[], p_has_other boolean)
RETURNS TABLE (id uuid, tenant int, created_at int8, input json, metadata json, labels job_labels,
  head json)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_first uuid := p_ids[1]; v_last uuid := p_ids[1];
BEGIN
  -- With its bounds known, a plan opens none of the partitions outside of them.
  IF cardinality(p_ids) > 1 THEN
    SELECT x INTO v_first FROM unnest(p_ids) x ORDER BY x LIMIT 1;
    SELECT x INTO v_last FROM unnest(p_ids) x ORDER BY x DESC LIMIT 1;
  END IF;
  RETURN QUERY SELECT f.id, f.tenant, (date_part('epoch', f.created_at) * 1000)::int8, f.input,
    f.metadata, labels_of(f), NULL::json
  FROM facts f WHERE f.id = ANY (p_ids) AND f.id >= v_first AND f.id <= v_last;
  IF NOT p_has_other THEN RETURN; END IF;
  RETURN QUERY SELECT f.id, f.tenant, ms(f.created_at), f.input,
    f.metadata, labels_of(ROW(f.*)::facts), NULL::json
  FROM facts_other f WHERE f.id = ANY (p_ids);
END $$;

-- The positions of a job with one more, null for none; a full list begins anew.
CREATE FUNCTION more_with(p_more int8[], p_n int8) RETURNS int8[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_n IS NULL THEN CASE WHEN cardinality(p_more) >= 31 THEN NULL ELSE p_more END
    WHEN cardinality(p_more) >= 31 THEN ARRAY[p_n] ELSE p_more || p_n END
$$;

-- Gives what was locked, all of one policy and place, to the owner: its rows and its entries in the
-- log. The number is drawn now, after all rows are locked.
CREATE FUNCTION grant_all(t taken, p_owner int, p_actor text, p_token int8, v_now timestamptz)
RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE k record; v_n int8; v_lanes int[] := alike(t.lanes); v_has_texts boolean := false;
BEGIN
  SELECT p.number AS policy, p.lifecycle, m.from_state, m.to_state, m.to_phase, m.epochs, m.is_quiet,
    p.ttl, p.timeout, least(p.ttl, p.heartbeats, p.timeout) AS lease INTO k
  FROM policies p JOIN moves m ON m.lifecycle = p.lifecycle AND m.is_claim
    AND m.from_state = ((t.kinds[1] >> 4) & 4095)::int2 AND m.from_phase = (t.kinds[1] & 15)::int2
  WHERE p.number = (t.kinds[1] >> 16)::int;
  IF k.epochs > 0 THEN
    t.epochs := ARRAY(SELECT e + k.epochs FROM unnest(t.epochs) WITH ORDINALITY AS x(e, n) ORDER BY n);
  END IF;
  IF k.is_quiet THEN
    t.versions := ARRAY(SELECT v - 1 FROM unnest(t.versions) WITH ORDINALITY AS x(v, n) ORDER BY n);
  END IF;
  IF t.is_odd AND NOT k.is_quiet THEN
    v_has_texts := EXISTS (SELECT FROM live j JOIN details d ON d.id = j.id AND d.tenant = j.tenant
      WHERE j.ctid = ANY (t.tids) AND j.flags & 4 > 0 AND coalesce(d.stage, d.message) IS NOT NULL);
  END IF;
  -- Only written down here: an update of the rows would move them away from where they were locked.
  IF t.is_full AND NOT k.is_quiet THEN
    INSERT INTO positions
    SELECT j.id, j.tenant, j.version, array_remove(j.more_n || j.claim_n, NULL) FROM live j
    WHERE j.ctid = ANY (t.tids) AND cardinality(j.more_n) >= 31;
  END IF;
  IF k.is_quiet OR cardinality(v_lanes) = 1 THEN
    IF NOT k.is_quiet THEN
      v_n := draw();
      INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, from_state, to_state, phase, has_texts,
        actor, jobs, versions, epochs, attempts, retries, progress)
      SELECT v_n, v_now, l.tenant, l.number, k.lifecycle, 3, k.from_state, k.to_state, k.to_phase,
        v_has_texts, p_actor, t.ids, alike(t.versions), alike(t.epochs), alike(t.attempts),
        alike(t.retries), alike(t.progress)
      FROM lanes l WHERE l.number = v_lanes[1];
    END IF;
    UPDATE live j SET state = k.to_state, phase = k.to_phase, epoch = j.epoch + k.epochs,
      version = CASE WHEN k.is_quiet THEN j.version ELSE j.version + 1 END,
      notes = CASE WHEN k.is_quiet THEN j.notes ELSE 0 END, gate = NULL,
      attempts = greatest(j.attempts, 1), owner = p_owner, token = p_token,
      claim_n = coalesce(v_n, j.claim_n),
      more_n = CASE WHEN v_n IS NULL THEN j.more_n ELSE more_with(j.more_n, j.claim_n) END,
      flags = CASE WHEN v_n IS NOT NULL AND cardinality(j.more_n) >= 31 THEN j.flags | 16
        ELSE j.flags END,
      lease_end = v_now + k.ttl,
      lease_limit = least(v_now + k.timeout, j.deadline_at),
      lease_expiry = least(j.deadline_at, v_now + k.lease),
      started_at = CASE WHEN k.to_phase = 3 THEN
        coalesce(j.started_at, v_now) ELSE j.started_at END,
      updated_at = v_now
    WHERE j.ctid = ANY (t.tids);
  ELSE
    WITH w AS (
      INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, from_state, to_state, phase, has_texts,
        actor, jobs, versions, epochs, attempts, retries, progress)
      SELECT draw(), v_now, l.tenant, l.number, k.lifecycle, 3, k.from_state, k.to_state, k.to_phase,
        v_has_texts, p_actor, g.ids, g.versions, g.epochs, g.attempts, g.retries, g.progress
      FROM (SELECT x.lane, array_agg(x.id) AS ids, alike(array_agg(x.version)) AS versions,
          alike(array_agg(x.epoch)) AS epochs, alike(array_agg(x.attempts)) AS attempts,
          alike(array_agg(x.retries)) AS retries, alike(array_agg(x.progress)) AS progress
        FROM unnest(t.lanes, t.ids, t.versions, t.epochs, t.attempts, t.retries, t.progress)
          AS x(lane, id, version, epoch, attempts, retries, progress) GROUP BY x.lane) g
      JOIN lanes l ON l.number = g.lane RETURNING n, lane)
    UPDATE live j SET state = k.to_state, phase = k.to_phase, epoch = j.epoch + k.epochs,
      version = j.version + 1, notes = 0, gate = NULL, attempts = greatest(j.attempts, 1),
      owner = p_owner, token = p_token, claim_n = w.n,
      more_n = more_with(j.more_n, j.claim_n),
      flags = CASE WHEN cardinality(j.more_n) >= 31 THEN j.flags | 16 ELSE j.flags END,
      lease_end = v_now + k.ttl,
      lease_limit = least(v_now + k.timeout, j.deadline_at),
      lease_expiry = least(j.deadline_at, v_now + k.lease),
      started_at = CASE WHEN k.to_phase = 3 THEN
        coalesce(j.started_at, v_now) ELSE j.started_at END,
      updated_at = v_now
    FROM w WHERE j.ctid = ANY (t.tids) AND w.lane = j.lane;
  END IF;
  IF v_has_texts THEN
    INSERT INTO log_texts (n, id, tenant, stage, message)
    SELECT j.claim_n, j.id, j.tenant, d.stage, d.message FROM live j
    JOIN details d ON d.id = j.id AND d.tenant = j.tenant
    WHERE j.id = ANY (t.ids) AND j.owner = p_owner AND j.token = p_token AND j.flags & 4 > 0
      AND coalesce(d.stage, d.message) IS NOT NULL;
  END IF;
  RETURN json_build_object('policy', k.policy, 'lifecycle', k.lifecycle, 'state', k.to_state,
    'phase', k.to_phase, 'leaseMs', extract(epoch FROM k.lease) * 1000, 'ids', t.ids,
    'lanes', v_lanes, 'epochs', alike(t.epochs), 'versions', alike(t.versions),
    'attempts', alike(t.attempts), 'retries', alike(t.retries));
END $$;

-- Of several policies or places, one after the other.
CREATE FUNCTION grant_groups(t taken, p_owner int, p_actor text, p_token int8, v_now timestamptz)
RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE g taken; v_groups json[];
BEGIN
  IF t.kinds[1] = ALL (t.kinds) THEN
    RETURN json_build_array(grant_all(t, p_owner, p_actor, p_token, v_now));
  END IF;
  FOR g.tids, g.ids, g.lanes, g.kinds, g.epochs, g.versions, g.attempts, g.retries, g.progress IN
    SELECT array_agg(x.tid ORDER BY n), array_agg(x.id ORDER BY n), array_agg(x.lane ORDER BY n),
      array_agg(x.kind ORDER BY n), array_agg(x.epoch ORDER BY n), array_agg(x.version ORDER BY n),
      array_agg(x.attempts ORDER BY n), array_agg(x.retries ORDER BY n),
      array_agg(x.progress ORDER BY n)
    FROM unnest(t.tids, t.ids, t.lanes, t.kinds, t.epochs, t.versions, t.attempts, t.retries,
      t.progress) WITH ORDINALITY
      AS x(tid, id, lane, kind, epoch, version, attempts, retries, progress, n)
    GROUP BY x.kind ORDER BY min(n)
  LOOP
    g.is_full := t.is_full;
    g.is_odd := t.is_odd;
    v_groups := v_groups || grant_all(g, p_owner, p_actor, p_token, v_now);
  END LOOP;
  RETURN to_json(v_groups);
END $$;

-- What the same claim has won before and still owns.
CREATE FUNCTION claimed_before(p_key int8, p_owner int, p_tenants int[], v_now timestamptz,
  OUT ids uuid[], OUT token int8, OUT groups json, OUT has_other boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE c claims;
BEGIN
  SELECT * INTO c FROM claims c WHERE c.key = p_key AND c.owner = p_owner;
  IF NOT FOUND THEN RETURN; END IF;
  token := c.token;
  SELECT array_agg(x.id), json_agg(json_build_object('policy', x.policy, 'lifecycle', x.lifecycle,
      'state', x.state, 'phase', x.phase, 'leaseMs', 0, 'ids', ARRAY[x.id], 'lanes', ARRAY[x.lane],
      'epochs', ARRAY[x.epoch], 'versions', ARRAY[x.version], 'attempts', ARRAY[x.attempts],
      'retries', ARRAY[x.retry_count]) ORDER BY array_position(c.ids, x.id)), bool_or(x.flags & 1 > 0)
  INTO ids, groups, has_other FROM live x
  WHERE x.id = ANY (c.ids) AND x.owner = p_owner AND x.token = c.token AND x.lease_expiry > v_now
    AND (p_tenants IS NULL OR x.tenant = ANY (p_tenants));
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
-- left in that order. Rows: one with the head, then one a job with its facts.
CREATE FUNCTION claim(p_owner int, p_actor text, p_types text[], p_max int, p_tenants int[],
  p_queues text[], p_key int8, p_token int8, p_turn int, p_hints json,
  p_revisions json, p_now float8)
RETURNS TABLE (id uuid, tenant int, created_at int8, input json, metadata json, labels job_labels,
  head json)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz; o record; t taken; v taken; v_lanes int; v_left int := p_max; v_share int;
  v_tenants int; v_quota int; v_of int; v_before record; v_has_won boolean := false; l int;
  v_groups json; v_odd json;
BEGIN
  IF p_key IS NOT NULL THEN PERFORM pg_advisory_xact_lock(p_key); END IF;
  PERFORM pg_advisory_xact_lock_shared(limits_lock());
  v_now := clock(p_now);
  IF p_key IS NOT NULL THEN
    IF EXISTS (SELECT FROM claims c WHERE c.key = p_key AND c.owner = p_owner) THEN
      SELECT * INTO v_before FROM claimed_before(p_key, p_owner, p_tenants, v_now);
      v_has_won := v_before.ids IS NOT NULL;
    END IF;
    IF v_has_won THEN
      RETURN QUERY SELECT NULL::uuid, NULL::int, NULL::int8, NULL::json, NULL::json,
        NULL::job_labels, json_build_object('at', ms(v_now), 'token', v_before.token::text, 'groups', v_before.groups,
          'odd', oddities(v_before.ids, p_owner, v_before.token));
      RETURN QUERY SELECT * FROM facts_of(v_before.ids, v_before.has_other);
      RETURN;
    END IF;
  END IF;
  SELECT * INTO o FROM open_lanes(p_types, p_tenants, p_queues, p_turn, p_hints, v_now);
  v_lanes := coalesce(cardinality(o.lanes), 0);
  IF v_lanes = 0 THEN RETURN; END IF;
  IF array_remove(o.queue_max || o.type_max, NULL) <> '{}' THEN PERFORM lock_limits(o.lanes); END IF;
  v_tenants := CASE WHEN v_lanes > 1 THEN (SELECT count(DISTINCT x) FROM unnest(o.tenants) x) ELSE 1 END;
  FOR i IN 1..CASE WHEN v_lanes > 1 THEN 2 * v_lanes ELSE 1 END LOOP
    EXIT WHEN v_left <= 0;
    l := (i - 1) % v_lanes + 1;
    CONTINUE WHEN o.ranks[l] IS NULL;
    IF i <= v_lanes AND (i = 1 OR o.tenants[i] <> o.tenants[i - 1]) THEN
      v_quota := ceil(v_left::numeric / v_tenants);
      v_tenants := v_tenants - 1;
      v_of := CASE WHEN v_lanes > 1
        THEN (SELECT count(*) FROM unnest(o.tenants) x WHERE x = o.tenants[i]) ELSE 1 END;
    END IF;
    v_share := CASE WHEN i > v_lanes THEN v_left ELSE ceil(v_quota::numeric / v_of) END;
    v_of := v_of - 1;
    IF o.queue_max[l] IS NOT NULL OR o.type_max[l] IS NOT NULL THEN
      v_share := least(v_share, room_in(o.lanes[l], o.queue_max[l], o.type_max[l], t.lanes));
    END IF;
    CONTINUE WHEN v_share <= 0;
    v := take(o.lanes[l], o.ranks[l], o.seqs[l], v_share);
    -- From where the second round goes on; a lane that gave all it had is left out of it.
    o.ranks[l] := CASE WHEN cardinality(v.ids) = v_share THEN v.last_rank END;
    o.seqs[l] := v.last_seq + 1;
    CONTINUE WHEN v.ids IS NULL;
    v_left := v_left - cardinality(v.ids);
    v_quota := v_quota - cardinality(v.ids);
    IF t.ids IS NULL THEN t := v; ELSE t := joined(t, v); END IF;
  END LOOP;
  IF t.ids IS NULL THEN RETURN; END IF;
  -- Read once all rows are locked: no job is taken before it came.
  v_now := greatest(clock(p_now), t.last_at);
  v_groups := grant_groups(t, p_owner, p_actor, p_token, v_now);
  IF p_revisions IS NOT NULL THEN
    PERFORM fix_revisions(t.ids, t.lanes, p_owner, p_token, p_revisions);
  END IF;
  IF t.is_odd THEN v_odd := settle_odd(t.ids, p_owner, p_token, v_now); END IF;
  RETURN QUERY SELECT NULL::uuid, NULL::int, NULL::int8, NULL::json, NULL::json, NULL::job_labels,
    json_build_object('at', ms(v_now), 'token', p_token::text, 'groups', v_groups, 'odd', v_odd);
  RETURN QUERY SELECT * FROM facts_of(t.ids, t.is_odd);
  IF p_key IS NOT NULL THEN
    INSERT INTO claims AS c VALUES (p_key, p_owner, p_token, v_now, t.ids)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, token = excluded.token,
      at = excluded.at, ids = excluded.ids;
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
