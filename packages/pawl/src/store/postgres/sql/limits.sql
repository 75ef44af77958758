-- Changes one limit. Waits for the claims under way, so that none that begins after the answer has
-- missed it. p_seen: when the throttle that the caller saw was last changed; 0 where it saw none;
-- null: whatever it is. Answers false where it is another one by now.
CREATE FUNCTION put_limit(p_tenant int, p_scope text, p_name text, p_row json, p_seen int8,
  p_now float8) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE r limits;
BEGIN
  PERFORM stay(p_tenant);
  PERFORM pg_advisory_xact_lock(limits_lock());
  IF p_seen IS NOT NULL AND p_seen <> coalesce((SELECT (l.throttle ->> 'changedAt')::int8
    FROM limits l WHERE l.tenant = p_tenant AND l.scope = p_scope AND l.name = p_name), 0)
  THEN RETURN false; END IF;
  IF p_row IS NULL THEN
    DELETE FROM limits l WHERE l.tenant = p_tenant AND l.scope = p_scope AND l.name = p_name;
    RETURN true;
  END IF;
  r := json_populate_record(NULL::limits, p_row);
  r.tenant := p_tenant; r.scope := p_scope; r.name := p_name;
  INSERT INTO limits SELECT r.* ON CONFLICT (tenant, scope, name) DO UPDATE SET
    (is_paused, paused_until, concurrency, throttle, high_watermark, low_watermark, is_shedding,
      reason, actor, updated_at) = (r.is_paused, r.paused_until, r.concurrency, r.throttle,
      r.high_watermark, r.low_watermark, r.is_shedding, r.reason, r.actor, r.updated_at);
  RETURN true;
END $$;

-- A key's limiter goes if even without any decay between its starts it would be full again by the
-- slowest of all rates. The key is locked as its admission does it, and whoever holds it keeps it;
-- starts of claims under way are not seen, so they stay and count from a full limiter.
CREATE FUNCTION trim_rates(p_after text, p_limit int, p_idle_ms int8, p_now float8, OUT trimmed int,
  OUT next text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now int8 := ms(clock(p_now)); v_slow float8[]; v_seen int := 0; v_key text; v_full boolean;
BEGIN
  trimmed := 0;
  SELECT ARRAY[min(p.user_max::float8 / p.user_ms),
    min(p.organisation_max::float8 / p.organisation_ms)] INTO v_slow FROM policies p;
  FOR v_key IN SELECT k.key FROM (
      (SELECT r.key FROM rate_levels r WHERE r.key > coalesce(p_after, '')
        ORDER BY r.key LIMIT p_limit)
      UNION (SELECT DISTINCT s.key FROM rate_starts s WHERE s.key > coalesce(p_after, '')
        ORDER BY s.key LIMIT p_limit)) k
    ORDER BY k.key LIMIT p_limit
  LOOP
    v_seen := v_seen + 1;
    next := v_key;
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(v_key, 7919));
    WITH level AS (SELECT r.level, r.at, r.next_at FROM rate_levels r WHERE r.key = v_key),
    starts AS (SELECT count(*) AS n, max(s.at) AS at FROM rate_starts s WHERE s.key = v_key),
    idle AS (SELECT l.next_at, coalesce(l.level, 0) + s.n AS level,
        v_now - greatest(l.at, s.at) AS ms FROM starts s LEFT JOIN level l ON true),
    verdict AS MATERIALIZED (SELECT i.next_at IS NULL AND i.ms >= p_idle_ms
        AND i.level <= i.ms * coalesce(v_slow[left(v_key, 1)::int - 3], 1e9) AS is_full
      FROM idle i),
    gone AS (DELETE FROM rate_starts s WHERE s.key = v_key AND (SELECT is_full FROM verdict)),
    left_over AS (DELETE FROM rate_levels r WHERE r.key = v_key AND (SELECT is_full FROM verdict))
    SELECT is_full INTO v_full FROM verdict;
    IF v_full THEN trimmed := trimmed + 1; END IF;
  END LOOP;
  IF v_seen < p_limit THEN next := NULL; END IF;
END $$;
