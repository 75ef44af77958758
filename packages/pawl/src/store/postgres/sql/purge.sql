-- Moves what is still needed out of two tables of jobs that are about to go: jobs that live, those
-- that ended after the cut, and those that a job which has not ended waited for. Rows of `live` come first: who ends a job from then on writes to
-- the plain table, and who ended one before is seen by the statements that follow. False: they are
-- too many, and the tables stay.
CREATE FUNCTION carry_jobs(p_facts regclass, p_ended regclass, p_low uuid, p_high uuid,
  p_cut timestamptz, p_max int) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_count int8;
BEGIN
  EXECUTE format('SELECT (SELECT count(*) FROM (SELECT FROM live WHERE id >= $1 AND id < $2 LIMIT $4) a)
    + (SELECT count(*) FROM (SELECT FROM %s WHERE completed_at > $3 LIMIT $4) b)
    + (SELECT count(*) FROM (SELECT FROM %s f JOIN live p ON p.id = f.awaited_by
        AND p.tenant = f.tenant WHERE f.awaited_by IS NOT NULL LIMIT $4) c)', p_ended, p_facts)
  INTO v_count USING p_low, p_high, p_cut, p_max + 1;
  IF v_count > p_max THEN RETURN false; END IF;
  UPDATE live SET flags = flags | 1 WHERE id >= p_low AND id < p_high;
  EXECUTE format('WITH gone AS (DELETE FROM %s e WHERE e.completed_at > $1 OR (e.id, e.tenant) IN (
      SELECT f.id, f.tenant FROM %s f JOIN live p ON p.id = f.awaited_by AND p.tenant = f.tenant
      WHERE f.awaited_by IS NOT NULL) RETURNING e.*)
    INSERT INTO ended_other SELECT * FROM gone', p_ended, p_facts) USING p_cut;
  EXECUTE format('WITH gone AS (DELETE FROM %s f WHERE EXISTS (SELECT FROM live j
      WHERE j.id = f.id AND j.tenant = f.tenant) OR EXISTS (SELECT FROM ended_other e
      WHERE e.id = f.id AND e.tenant = f.tenant) RETURNING *)
    INSERT INTO facts_other SELECT * FROM gone', p_facts);
  RETURN true;
END $$;

-- Closes the oldest partition of jobs, if all of its ids are older than the cut and nothing in it is
-- needed any more: from now on no id goes there, and it can be detached. True: there may be more.
CREATE FUNCTION close_partition(p_cut int8, p_max int) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v partitions; v_ended text;
BEGIN
  PERFORM pg_advisory_xact_lock(partitions_lock());
  SELECT * INTO v FROM partitions p WHERE p.parent = 'facts' AND NOT p.is_closed
  ORDER BY p.low LIMIT 1;
  v_ended := replace(v.name, 'facts_', 'ended_');
  IF v.name IS NULL OR time_of(v.high::uuid) > at_ms(p_cut) OR NOT carry_jobs(v.name::regclass,
    v_ended::regclass, v.low::uuid, v.high::uuid, at_ms(p_cut), p_max)
  THEN RETURN false; END IF;
  UPDATE partitions SET is_closed = true WHERE name IN (v.name, v_ended);
  RETURN true;
END $$;

-- Partitions that are closed and still there, each once: `beside` goes with it.
CREATE FUNCTION closed_partitions(OUT parent text, OUT name text, OUT beside text, OUT low text,
  OUT high text) RETURNS SETOF record LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT p.parent, p.name, CASE p.parent
      WHEN 'facts' THEN replace(p.name, 'facts_', 'ended_')
      WHEN 'log' THEN 'log_texts_' || substr(p.name, 5) END, p.low, p.high
  FROM partitions p WHERE p.is_closed AND p.parent IN ('facts', 'log', 'notes') ORDER BY p.low;
END $$;

-- For a role that does not own the tables, or has no session to detach beside others in. Waits
-- briefly: everybody else waits behind it.
CREATE FUNCTION detach_now(p_parent text, p_name text) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '100ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM partitions p WHERE p.name = p_name AND p.is_closed) THEN
    RAISE EXCEPTION USING ERRCODE = 'PW004', MESSAGE = format('%s is not closed', p_name);
  END IF;
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I %s', p_parent, p_name, CASE WHEN EXISTS (
    SELECT FROM pg_inherits i WHERE i.inhrelid = p_name::regclass AND i.inhdetachpending)
    THEN 'FINALIZE' END);
END $$;

-- After the tables are detached nothing can come into them: what came in between is carried on too.
CREATE FUNCTION drop_closed(p_name text, p_beside text, p_cut int8) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE v partitions;
BEGIN
  PERFORM pg_advisory_xact_lock(partitions_lock());
  SELECT * INTO v FROM partitions p WHERE p.name = p_name AND p.is_closed;
  IF NOT FOUND THEN RETURN; END IF;
  IF v.parent = 'facts' AND NOT carry_jobs(p_name::regclass, p_beside::regclass, v.low::uuid,
    v.high::uuid, at_ms(p_cut), 1000000)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'PW004',
      MESSAGE = format('%s holds more than a million jobs that are needed', p_name);
  END IF;
  EXECUTE format('DROP TABLE %I', p_name);
  IF p_beside IS NOT NULL THEN EXECUTE format('DROP TABLE %I', p_beside); END IF;
  DELETE FROM partitions p WHERE p.name IN (p_name, p_beside);
END $$;

-- What lies beside jobs of a range that are gone, a slice at a time; says how many rows went.
CREATE FUNCTION purge_beside(p_low uuid, p_high uuid, p_limit int) RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_table text; v_gone int8; v_all int8 := 0;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['details', 'stages', 'positions', 'annotations'] LOOP
    EXECUTE format('WITH gone AS (DELETE FROM %I WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM %I t
        WHERE t.id >= $1 AND t.id < $2 AND NOT EXISTS (SELECT FROM facts_other f
          WHERE f.id = t.id AND f.tenant = t.tenant) LIMIT $3)) RETURNING 1)
      SELECT count(*) FROM gone', v_table, v_table) INTO v_gone USING p_low, p_high, p_limit;
    v_all := v_all + v_gone;
  END LOOP;
  RETURN v_all;
END $$;

-- Jobs outside the partitions, one slice.
CREATE FUNCTION purge_other(p_cut int8, p_limit int) RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_ids uuid[]; v_tenants int[]; v_ns int8[];
BEGIN
  WITH gone AS (DELETE FROM ended_other WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM ended_other e WHERE e.completed_at <= at_ms(p_cut) AND NOT EXISTS (
      SELECT FROM facts_other f JOIN live p ON p.id = f.awaited_by AND p.tenant = f.tenant
      WHERE f.id = e.id AND f.tenant = e.tenant) LIMIT p_limit))
    RETURNING id, tenant, ARRAY[born_n, claim_n, end_n] || more_n AS ns)
  SELECT array_agg(id), array_agg(tenant), (SELECT array_agg(n) FROM gone, unnest(gone.ns) n)
  INTO v_ids, v_tenants, v_ns FROM gone;
  -- The history of jobs that came with their tenant from another database has numbers below zero.
  v_ns := v_ns || ARRAY(SELECT unnest(p.ns) FROM positions p
      JOIN unnest(v_ids, v_tenants) AS x(id, tenant) USING (id, tenant))
    || ARRAY(SELECT a.n FROM annotations a
      JOIN unnest(v_ids, v_tenants) AS x(id, tenant) USING (id, tenant));
  DELETE FROM log_carried w WHERE w.n = ANY (v_ns) AND w.n < 0;
  DELETE FROM log_texts_carried t WHERE t.n = ANY (v_ns) AND t.n < 0;
  -- Facts of jobs that lived when their tenant left: nothing here says how they ended.
  IF EXISTS (SELECT FROM tenants t WHERE t.left_for IS NOT NULL) THEN
    DELETE FROM facts_other f USING tenants t
    WHERE f.tenant = t.number AND t.left_for IS NOT NULL AND f.created_at <= at_ms(p_cut)
      AND NOT EXISTS (SELECT FROM ended_other e WHERE e.id = f.id AND e.tenant = f.tenant)
      AND NOT EXISTS (SELECT FROM live j WHERE j.id = f.id AND j.tenant = f.tenant);
  END IF;
  DELETE FROM facts_other f USING unnest(v_ids, v_tenants) AS x(id, tenant)
  WHERE f.id = x.id AND f.tenant = x.tenant;
  DELETE FROM details d USING unnest(v_ids, v_tenants) AS x(id, tenant)
  WHERE d.id = x.id AND d.tenant = x.tenant;
  DELETE FROM stages d USING unnest(v_ids, v_tenants) AS x(id, tenant)
  WHERE d.id = x.id AND d.tenant = x.tenant;
  DELETE FROM positions d USING unnest(v_ids, v_tenants) AS x(id, tenant)
  WHERE d.id = x.id AND d.tenant = x.tenant;
  DELETE FROM annotations d USING unnest(v_ids, v_tenants) AS x(id, tenant)
  WHERE d.id = x.id AND d.tenant = x.tenant;
  RETURN coalesce(cardinality(v_ids), 0);
END $$;

-- Keys whose time is over.
CREATE FUNCTION purge_keys(p_cut int8, p_limit int) RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_keys int8; v_unique int8;
BEGIN
  WITH gone AS (DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
    SELECT k.ctid FROM idempotency_keys k WHERE k.expires_at <= at_ms(p_cut)
    ORDER BY k.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED)) RETURNING 1)
  SELECT count(*) INTO v_keys FROM gone;
  -- A key whose job can still be joined has a say beyond its window.
  WITH gone AS (DELETE FROM unique_keys WHERE ctid = ANY (ARRAY(
    SELECT u.ctid FROM unique_keys u WHERE u.until <= at_ms(p_cut) AND NOT EXISTS (
      SELECT FROM live j WHERE j.id = u.id AND j.tenant = u.tenant AND j.epoch = 1 AND j.phase < 2)
    ORDER BY u.until LIMIT p_limit FOR UPDATE SKIP LOCKED)) RETURNING 1)
  SELECT count(*) INTO v_unique FROM gone;
  RETURN v_keys + v_unique;
END $$;

-- Closes the oldest partition of the log if nothing in it is younger than the cut and no partition
-- of jobs reaches back to it: an id may lie a day ahead of its first entry, and clocks differ.
-- Entries of jobs that outlive it are carried on. The floor is asked for before the entries are
-- looked at: whoever may still write there is waited for.
CREATE FUNCTION close_log(p_cut int8) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v partitions; v_low int8; v_high int8; v_last timestamptz; v_cut timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(partitions_lock());
  SELECT * INTO v FROM partitions p WHERE p.parent = 'log' AND NOT p.is_closed
  ORDER BY p.low::int8 LIMIT 1;
  v_low := v.low;
  v_high := v.high;
  IF log_floor() < v_high THEN RETURN false; END IF;
  SELECT least(at_ms(p_cut), min(time_of(p.low::uuid)) - interval '2 days') INTO v_cut
  FROM partitions p WHERE p.parent = 'facts';
  SELECT max(w.ts) INTO v_last FROM log w WHERE w.n >= v_low AND w.n < v_high;
  IF v_last > v_cut THEN RETURN false; END IF;
  WITH x AS MATERIALIZED (
    SELECT DISTINCT n FROM facts_other f, unnest(positions_of(f.tenant, f.id, 0, 100000000)) AS n
    WHERE n >= v_low AND n < v_high),
  w AS (INSERT INTO log_carried SELECT w.* FROM log w JOIN x ON x.n = w.n
    WHERE w.n >= v_low AND w.n < v_high ON CONFLICT DO NOTHING)
  -- Locked: what somebody is about to erase is copied once it is erased, or erased in the copy.
  INSERT INTO log_texts_carried SELECT t.* FROM log_texts t JOIN x ON x.n = t.n
  WHERE t.n >= v_low AND t.n < v_high FOR UPDATE OF t ON CONFLICT DO NOTHING;
  UPDATE partitions p SET is_closed = true
  WHERE p.name IN (v.name, 'log_texts_' || substr(v.name, 5));
  RETURN true;
END $$;

CREATE FUNCTION close_notes(p_cut int8) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v partitions; v_low int8; v_high int8;
BEGIN
  PERFORM pg_advisory_xact_lock(partitions_lock());
  SELECT * INTO v FROM partitions p
  WHERE p.parent = 'notes' AND p.low::int8 >= 0 AND NOT p.is_closed ORDER BY p.low::int8 LIMIT 1;
  DELETE FROM notes o WHERE o.n < 0 AND o.ts <= at_ms(p_cut);
  v_low := v.low;
  v_high := v.high;
  IF log_floor() < v_high THEN RETURN false; END IF;
  IF EXISTS (SELECT FROM notes o WHERE o.n >= v_low AND o.n < v_high AND o.ts > at_ms(p_cut)) THEN
    RETURN false;
  END IF;
  UPDATE partitions p SET is_closed = true WHERE p.name = v.name;
  RETURN true;
END $$;

-- Readers of the log begin after what is as old as the cut, but for its last entry: one that waits
-- at the end of a quiet log keeps its place. Times rise with the numbers, so the place is found by
-- halving.
CREATE FUNCTION forget_tail(p_cut int8) RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_low int8; v_high int8; v_last int8; v_n int8; v_ts timestamptz; v_before int8;
BEGIN
  SELECT m.tail_from INTO v_before FROM meta m FOR UPDATE;
  SELECT w.n INTO v_last FROM log w ORDER BY w.n DESC LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  v_last := least(v_last, log_floor());
  v_low := v_before;
  v_high := v_last;
  WHILE v_low < v_high LOOP
    SELECT w.n, w.ts INTO v_n, v_ts FROM log w WHERE w.n >= v_low + (v_high - v_low) / 2 ORDER BY w.n
    LIMIT 1;
    IF v_ts <= at_ms(p_cut) AND v_n < v_last THEN
      v_low := v_n + 1;
    ELSE
      v_high := v_low + (v_high - v_low) / 2;
    END IF;
  END LOOP;
  UPDATE meta SET tail_from = v_low WHERE tail_from < v_low;
  RETURN CASE WHEN v_low > v_before THEN 1 ELSE 0 END;
END $$;
