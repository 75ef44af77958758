-- Opens what is due where it stands, through its gates, and lets on who waits for a due token.
-- `next` is when the next job or token is due.
CREATE FUNCTION open_due(p_limit int, p_now float8, OUT opened int, OUT types text[], OUT next int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_keys text[]; v_lanes int[];
BEGIN
  WITH c AS MATERIALIZED (
    SELECT j.ctid AS tid, j.id, j.tenant, j.lane, j.flags FROM live j
    WHERE j.gate = 1 AND j.run_at <= v_now
    ORDER BY j.run_at, j.seq LIMIT p_limit FOR UPDATE SKIP LOCKED),
  k AS (
    UPDATE keys k SET gate = gate_when_due(k.limit_key, k.user_key, k.organisation_key) FROM c
    WHERE c.flags & 2 > 0 AND k.id = ANY (ARRAY[c.id]) AND k.tenant = c.tenant
    RETURNING k.id, k.tenant, k.gate, coalesce(k.limit_key, k.user_key, k.organisation_key) AS key),
  u AS (
    UPDATE live j SET gate = coalesce(
      (SELECT k.gate FROM k WHERE k.id = c.id AND k.tenant = c.tenant), 0)
    FROM c WHERE j.ctid = c.tid)
  SELECT (SELECT count(*) FROM c), (SELECT array_agg(DISTINCT c.lane) FROM c),
    (SELECT array_agg(k.key) FROM k WHERE k.key IS NOT NULL)
  INTO opened, v_lanes, v_keys;
  v_keys := v_keys || ARRAY(SELECT r.key FROM rate_levels r
    WHERE r.next_at <= ms(v_now) ORDER BY r.next_at LIMIT p_limit);
  IF cardinality(v_keys) > 0 THEN PERFORM admit(v_keys, v_now); END IF;
  types := ARRAY(SELECT DISTINCT l.type FROM lanes l WHERE l.number = ANY (v_lanes));
  next := least(
    (SELECT ms(min(j.run_at)) FROM live j WHERE j.gate = 1),
    (SELECT ms(min(j.run_at)) FROM live j WHERE j.gate = 2),
    (SELECT min(r.next_at) FROM rate_levels r WHERE r.next_at IS NOT NULL));
END $$;

-- A look at keys that somebody waits for, from one key on: after a caller's own transaction, which
-- lets nobody in, or after anything by hand. Null: it came to the end.
CREATE FUNCTION admit_from(p_after text, p_limit int, p_now float8, OUT next text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_keys text[] := '{}';
BEGIN
  next := coalesce(p_after, '');
  WHILE cardinality(v_keys) < p_limit LOOP
    next := coalesce(
      (SELECT k.limit_key FROM keys k WHERE k.gate = 3 AND k.limit_key > next
        ORDER BY k.limit_key LIMIT 1),
      (SELECT k.user_key FROM keys k WHERE k.gate = 4 AND k.user_key > next
        ORDER BY k.user_key LIMIT 1),
      (SELECT k.organisation_key FROM keys k WHERE k.gate = 5 AND k.organisation_key > next
        ORDER BY k.organisation_key LIMIT 1));
    EXIT WHEN next IS NULL;
    v_keys := v_keys || next;
  END LOOP;
  IF cardinality(v_keys) > 0 THEN PERFORM admit(v_keys, clock(p_now)); END IF;
END $$;
