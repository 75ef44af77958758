-- Lets on whom these keys have room for (see gate.ts for the rules). Whoever calls this holds rows
-- already and now takes keys, gate by gate and in one order, so that no two callers can block each
-- other. Counts are read from the rows themselves, by a statement that begins after the key is
-- locked: they can neither be stale nor leak.
CREATE FUNCTION admit(p_keys text[], v_now timestamptz) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_keys text[]; v_key text;
BEGIN
  FOR v_gate IN 3..5 LOOP
    SELECT array_agg(DISTINCT k) INTO v_keys FROM unnest(p_keys) k WHERE left(k, 1) = v_gate::text;
    CONTINUE WHEN v_keys IS NULL;
    PERFORM pg_advisory_xact_lock(l) FROM (
      SELECT DISTINCT hashtextextended(k, 7919) AS l FROM unnest(v_keys) k ORDER BY 1) locks;
    IF v_gate = 3 THEN
      p_keys := p_keys || admit_slots(v_keys);
      CONTINUE;
    END IF;
    FOREACH v_key IN ARRAY v_keys LOOP
      p_keys := p_keys || admit_tokens(v_gate, v_key, ms(v_now));
    END LOOP;
  END LOOP;
END $$;

-- Opens a gate for a job, in both places where it is kept.
CREATE FUNCTION pass_gate(p_id uuid, p_tenant int, p_gate int2) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  UPDATE keys k SET gate = p_gate WHERE k.id = p_id AND k.tenant = p_tenant;
  UPDATE live j SET gate = p_gate WHERE j.id = p_id AND j.tenant = p_tenant;
END $$;

-- Lets on the first of many lines while there are slots: in each round one of each line. A line
-- goes into the next round unless even the most generous limit is used up.
CREATE FUNCTION admit_slots(p_keys text[], OUT p_next text[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_keys text[] := p_keys; v_passed int[]; v_next text[];
  v_most int := (SELECT max(running_max) FROM policies);
BEGIN
  WHILE v_keys IS NOT NULL LOOP
    WITH h AS MATERIALIZED (
      SELECT x.key, x.passed, f.id, f.tenant, f.policy
      FROM unnest(v_keys, v_passed) AS x(key, passed) CROSS JOIN LATERAL (
        SELECT k.id, k.tenant, k.policy FROM keys k WHERE k.limit_key = x.key AND k.gate = 3
        ORDER BY k.rank_at, k.seq LIMIT 1 FOR UPDATE SKIP LOCKED) f),
    c AS MATERIALIZED (
      SELECT h.key, h.id, h.tenant, p.running_max, coalesce(h.passed, (
        SELECT count(*) FROM keys k WHERE k.limit_key = h.key AND k.limit_key IS NOT NULL
          AND (k.gate IN (0, 4, 5) OR k.is_owned))) AS passed
      FROM h JOIN policies p ON p.number = ANY (ARRAY[h.policy])),
    u AS (
      UPDATE keys k SET gate = gate_when_due(NULL, k.user_key, k.organisation_key) FROM c
      WHERE k.id = ANY (ARRAY[c.id]) AND k.tenant = c.tenant AND c.passed < c.running_max
      RETURNING c.key, c.passed + 1 AS passed, k.id, k.tenant, k.gate,
        coalesce(k.user_key, k.organisation_key) AS next),
    l AS (
      UPDATE live j SET gate = u.gate FROM u WHERE j.id = ANY (ARRAY[u.id]) AND j.tenant = u.tenant)
    SELECT array_agg(u.key) FILTER (WHERE u.passed < v_most),
      array_agg(u.passed) FILTER (WHERE u.passed < v_most),
      array_agg(u.next) FILTER (WHERE u.next IS NOT NULL)
    INTO v_keys, v_passed, v_next FROM u;
    p_next := p_next || v_next;
  END LOOP;
END $$;

-- The first that waits for a token of this key, unless somebody holds it, who then comes here
-- itself before it ends.
CREATE FUNCTION first_in_line(p_gate int, p_key text, OUT id uuid, OUT tenant int, OUT policy int,
  OUT next_gate int2, OUT next_key text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF p_gate = 4 THEN
    SELECT k.id, k.tenant, k.policy, gate_when_due(NULL, NULL, k.organisation_key),
      k.organisation_key INTO id, tenant, policy, next_gate, next_key
    FROM keys k WHERE k.user_key = p_key AND k.gate = 4
    ORDER BY k.rank_at, k.seq LIMIT 1 FOR UPDATE SKIP LOCKED;
  ELSE
    SELECT k.id, k.tenant, k.policy, 0, NULL INTO id, tenant, policy, next_gate, next_key
    FROM keys k WHERE k.organisation_key = p_key AND k.gate = 5
    ORDER BY k.rank_at, k.seq LIMIT 1 FOR UPDATE SKIP LOCKED;
  END IF;
END $$;

-- The same for tokens. Who has passed and what was started since the last time are read in one
-- statement, so that a claim that commits meanwhile is seen as the one or the other.
CREATE FUNCTION admit_tokens(p_gate int, p_key text, p_now int8, OUT p_next text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE h record; v_max float8; v_per float8; v_passed int; v_starts int8[]; v_start int8;
  v_level float8 := 0; v_at int8 := 0; v_next int8;
BEGIN
  LOOP
    SELECT * INTO h FROM first_in_line(p_gate, p_key);
    EXIT WHEN h.id IS NULL;
    SELECT CASE p_gate WHEN 4 THEN p.user_max ELSE p.organisation_max END,
      CASE p_gate WHEN 4 THEN p.user_ms ELSE p.organisation_ms END INTO v_max, v_per
    FROM policies p WHERE p.number = h.policy;
    IF v_passed IS NULL THEN
      WITH d AS (DELETE FROM rate_starts s WHERE s.key = p_key RETURNING s.at)
      SELECT CASE p_gate
          WHEN 4 THEN (SELECT count(*) FROM keys k WHERE k.user_key = p_key
            AND k.user_key IS NOT NULL AND k.gate IN (0, 5))
          ELSE (SELECT count(*) FROM keys k WHERE k.organisation_key = p_key
            AND k.organisation_key IS NOT NULL AND k.gate = 0) END,
        (SELECT array_agg(d.at ORDER BY d.at) FROM d)
      INTO v_passed, v_starts;
      SELECT r.level, r.at INTO v_level, v_at FROM rate_levels r WHERE r.key = p_key;
      v_level := coalesce(v_level, 0);
      v_at := coalesce(v_at, 0);
      FOREACH v_start IN ARRAY coalesce(v_starts, '{}') LOOP
        v_level := greatest(0, v_level - v_max / v_per * greatest(0, v_start - v_at)) + 1;
        v_at := greatest(v_at, v_start);
      END LOOP;
      v_level := greatest(0, v_level - v_max / v_per * greatest(0, p_now - v_at));
      v_at := greatest(v_at, p_now);
    END IF;
    IF floor(v_max - v_level - v_passed + 1e-6) <= 0 THEN
      v_next := v_at + greatest(1, ceil((1 - (v_max - v_level - v_passed)) * v_per / v_max))::int8;
      EXIT;
    END IF;
    PERFORM pass_gate(h.id, h.tenant, h.next_gate);
    p_next := p_next || h.next_key;
    v_passed := v_passed + 1;
  END LOOP;
  IF v_passed IS NULL THEN
    UPDATE rate_levels r SET next_at = NULL WHERE r.key = p_key AND r.next_at IS NOT NULL;
  ELSE
    INSERT INTO rate_levels VALUES (p_key, v_level, v_at, v_next) ON CONFLICT (key)
    DO UPDATE SET level = excluded.level, at = excluded.at, next_at = excluded.next_at;
  END IF;
END $$;
