-- Opens what is due where it stands, through its gates, and lets on who waits for a due token.
CREATE FUNCTION open_due(p_limit int, p_now float8, OUT opened int)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_keys text[];
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
  SELECT (SELECT count(*) FROM c), (SELECT array_agg(k.key) FROM k WHERE k.key IS NOT NULL)
  INTO opened, v_keys;
  v_keys := v_keys || ARRAY(SELECT r.key FROM rate_levels r
    WHERE r.next_at <= ms(v_now) ORDER BY r.next_at LIMIT p_limit);
  IF cardinality(v_keys) > 0 THEN PERFORM admit(v_keys, v_now); END IF;
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

-- How long until the next delayed job is due, in milliseconds; null where there is none.
CREATE FUNCTION until_due(p_now float8, OUT ms int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  SELECT ceil(date_part('epoch', least(
    (SELECT j.run_at FROM live j WHERE j.gate = 1 ORDER BY j.run_at, j.seq LIMIT 1),
    (SELECT j.run_at FROM live j WHERE j.gate = 2 ORDER BY j.run_at, j.seq LIMIT 1))
    - clock(p_now)) * 1000) INTO until_due.ms;
END $$;
