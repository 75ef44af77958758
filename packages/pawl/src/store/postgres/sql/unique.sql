-- Looks whether a job already stands for the newcomer, and amends it. The key's row is locked until
-- the end of the transaction, so that of two racers one makes the job and the other finds it; the
-- job's row too, so that a claim either came before or passes it over. Where it answers null the
-- newcomer is to be written, and the key kept for it.
CREATE FUNCTION join_unique(x new_job, v_now timestamptz, OUT kind text, OUT id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE u unique_keys; j live; v_run timestamptz; v_is_changed boolean; v_n int8;
BEGIN
  LOOP
    INSERT INTO unique_keys
    VALUES (x.tenant, x.type, x.unique_mode, x.unique_key, x.id, '-infinity') ON CONFLICT DO NOTHING;
    IF FOUND THEN RETURN; END IF;
    SELECT * INTO u FROM unique_keys u WHERE u.tenant = x.tenant AND u.type = x.type
      AND u.mode = x.unique_mode AND u.key = x.unique_key FOR UPDATE;
    EXIT WHEN FOUND;
  END LOOP;
  IF x.unique_mode = 'throttle' THEN
    IF v_now < u.until AND job_exists(x.tenant, u.id) THEN kind := 'throttled'; id := u.id; END IF;
    RETURN;
  END IF;
  SELECT * INTO j FROM live j WHERE j.id = u.id AND j.tenant = x.tenant FOR UPDATE;
  IF NOT FOUND OR j.phase > 1 OR j.epoch <> 1 THEN RETURN; END IF;
  kind := CASE x.unique_mode WHEN 'replace' THEN 'replaced' ELSE 'debounced' END;
  id := j.id;
  v_run := j.run_at;
  IF x.unique_mode = 'debounce' AND j.run_at > v_now THEN
    v_run := greatest(j.run_at, least(v_now + x.unique_window_ms * interval '1 ms', u.until));
  END IF;
  v_is_changed := CASE x.unique_mode WHEN 'debounce' THEN v_run <> j.run_at
    ELSE input_of(j.tenant, j.id) <> x.input END;
  IF NOT v_is_changed THEN RETURN; END IF;
  v_n := draw();
  IF x.unique_mode = 'replace' THEN
    INSERT INTO details AS d (id, tenant, input) VALUES (j.id, j.tenant, x.input::json)
    ON CONFLICT (id, tenant) DO UPDATE SET input = excluded.input;
  ELSE
    INSERT INTO log_texts (n, id, tenant, cause, payload)
    VALUES (v_n, j.id, j.tenant, 'debounce', json_build_object('runAt', ms(v_run)));
  END IF;
  PERFORM keep_positions(j);
  UPDATE live t SET version = t.version + 1, notes = 0, updated_at = v_now, run_at = v_run,
    rank_at = rank_of(v_run, t.priority), more_n = t.more_n || v_n,
    flags = t.flags | CASE x.unique_mode WHEN 'replace' THEN 4 ELSE 0 END
  WHERE t.id = j.id AND t.tenant = j.tenant;
  UPDATE keys k SET rank_at = rank_of(v_run, j.priority) WHERE k.id = j.id AND k.tenant = j.tenant;
  IF x.unique_mode = 'replace' THEN
    INSERT INTO log_texts (n, id, tenant, cause) VALUES (v_n, j.id, j.tenant, 'replace');
  END IF;
  INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, from_state, to_state, phase, has_texts,
    actor, jobs, versions, epochs, attempts, retries, progress)
  VALUES (v_n, v_now, j.tenant, j.lane, j.lifecycle, 9, j.state, j.state,
    j.phase, true, x.actor, ARRAY[j.id], ARRAY[j.version + 1], ARRAY[j.epoch], ARRAY[j.attempts],
    ARRAY[j.retry_count], ARRAY[j.progress]);
END $$;

-- The input as text, also where it was replaced.
CREATE FUNCTION input_of(p_tenant int, p_id uuid) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN coalesce(
    (SELECT d.input::text FROM details d WHERE d.id = p_id AND d.tenant = p_tenant),
    (SELECT f.input::text FROM facts f WHERE f.id = p_id AND f.tenant = p_tenant),
    (SELECT f.input::text FROM facts_other f WHERE f.id = p_id AND f.tenant = p_tenant));
END $$;

-- After the newcomer was written, or was not because its id is taken.
CREATE FUNCTION keep_unique(x new_job, v_now timestamptz, p_is_written boolean) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF p_is_written THEN
    UPDATE unique_keys u SET id = x.id, until = v_now + interval '1 ms'
      * CASE x.unique_mode WHEN 'debounce' THEN x.unique_wait_ms ELSE x.unique_window_ms END
    WHERE u.tenant = x.tenant AND u.type = x.type AND u.mode = x.unique_mode
      AND u.key = x.unique_key;
  ELSE
    DELETE FROM unique_keys u WHERE u.tenant = x.tenant AND u.type = x.type
      AND u.mode = x.unique_mode AND u.key = x.unique_key AND u.until = '-infinity';
  END IF;
END $$;
