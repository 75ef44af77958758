-- Who keeps dead rows from being removed: the oldest of each kind. Sessions and prepared
-- transactions of other databases do not; slots and standbys do, of whatever database. A role
-- without pg_read_all_stats sees its own sessions alone.
CREATE FUNCTION horizon() RETURNS TABLE (kind text, name text, ms int8, transactions int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT * FROM (
    (SELECT 'session', format('process %s of %s (%s, %s)', a.pid, a.usename,
        coalesce(nullif(a.application_name, ''), 'unnamed'), a.state),
      ms(clock_timestamp()) - ms(a.xact_start) AS ms,
      greatest(age(a.backend_xmin), age(a.backend_xid))::int8 AS transactions
    FROM pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
      AND a.xact_start IS NOT NULL AND a.backend_type = 'client backend'
    ORDER BY a.xact_start LIMIT 1)
    UNION ALL
    (SELECT 'prepared transaction', p.gid, ms(clock_timestamp()) - ms(p.prepared),
      age(p.transaction)::int8
    FROM pg_prepared_xacts p WHERE p.database = current_database() ORDER BY p.prepared LIMIT 1)
    UNION ALL
    (SELECT 'replication slot', s.slot_name::text, NULL::int8,
      greatest(age(s.xmin), age(s.catalog_xmin))::int8
    FROM pg_replication_slots s WHERE coalesce(s.xmin, s.catalog_xmin) IS NOT NULL
    ORDER BY 4 DESC LIMIT 1)
    UNION ALL
    (SELECT 'standby', coalesce(nullif(r.application_name, ''), r.client_addr::text, 'unnamed'),
      NULL::int8, age(r.backend_xmin)::int8
    FROM pg_stat_replication r WHERE r.backend_xmin IS NOT NULL ORDER BY 4 DESC LIMIT 1)) x;
END $$;

-- Who holds the lowest mark, which readers of the log do not pass, and for how long.
CREATE FUNCTION mark_holder() RETURNS TABLE (name text, ms int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT format('process %s of %s (%s, %s)', m.pid, a.usename,
      coalesce(nullif(a.application_name, ''), 'unnamed'), a.state),
    ms(clock_timestamp()) - ms(a.xact_start)
  FROM marks() m JOIN pg_stat_activity a ON a.pid = m.pid AND a.pid <> pg_backend_pid()
  WHERE a.xact_start IS NOT NULL ORDER BY m.n, a.xact_start LIMIT 1;
END $$;

-- Guards that a table or partition lacks, or that somebody has switched off.
CREATE FUNCTION missing_guards(p_schema text) RETURNS TABLE (name text, trigger text, is_off boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT c.relname::text, g.trigger, t.oid IS NOT NULL
  FROM guards() g
  JOIN pg_class p ON p.relname = g.name AND p.relnamespace = p_schema::regnamespace
  JOIN (SELECT c.oid, c.relname, c.oid AS home FROM pg_class c
    UNION ALL SELECT c.oid, c.relname, i.inhparent FROM pg_class c
    JOIN pg_inherits i ON i.inhrelid = c.oid AND NOT i.inhdetachpending) c ON c.home = p.oid
  LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = g.trigger
  WHERE t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A') ORDER BY 1, 2;
END $$;

-- What no verb leaves behind, and a restore that was not whole or a hand in the tables may: the
-- first of each kind. Nobody repairs it silently.
CREATE FUNCTION damage(p_max int) RETURNS SETOF text LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT format('job %s stands somewhere and has ended too', j.id)
  FROM (SELECT * FROM live LIMIT p_max) j WHERE EXISTS (SELECT FROM ended e
      WHERE e.id = j.id AND e.tenant = j.tenant)
    OR EXISTS (SELECT FROM ended_other e WHERE e.id = j.id AND e.tenant = j.tenant) LIMIT 20;
  RETURN QUERY SELECT format('job %s stands somewhere, and nothing says what it is', j.id)
  FROM (SELECT * FROM live LIMIT p_max) j WHERE NOT EXISTS (SELECT FROM facts f
      WHERE f.id = j.id AND f.tenant = j.tenant)
    AND NOT EXISTS (SELECT FROM facts_other f WHERE f.id = j.id AND f.tenant = j.tenant) LIMIT 20;
  RETURN QUERY SELECT format('job %s is counted under a key, and does not stand anywhere', k.id)
  FROM (SELECT * FROM keys LIMIT p_max) k WHERE NOT EXISTS (SELECT FROM live j
    WHERE j.id = k.id AND j.tenant = k.tenant) LIMIT 20;
  RETURN QUERY SELECT format('the partition %s of %s is listed, and is not there', p.name, p.parent)
  FROM partitions p WHERE NOT p.is_closed AND NOT EXISTS (SELECT FROM pg_inherits i
    WHERE i.inhrelid = to_regclass(p.name) AND i.inhparent = to_regclass(p.parent));
  RETURN QUERY SELECT format('the partition %s of %s is there, and is not listed', c.relname, t)
  FROM unnest(ARRAY['facts', 'ended', 'log', 'log_texts', 'notes']) t
  JOIN pg_inherits i ON i.inhparent = to_regclass(t) JOIN pg_class c ON c.oid = i.inhrelid
  WHERE NOT EXISTS (SELECT FROM partitions p WHERE p.parent = t AND p.name = c.relname);
  RETURN QUERY SELECT format('the sequence calls stands at %s, behind the jobs, which go up to %s: '
    'the database was copied without its sequences', c.last_value, x.call)
  FROM calls c, (SELECT max(j.seq) >> 16 AS call FROM (SELECT * FROM live LIMIT p_max) j) x
  WHERE x.call > c.last_value;
  RETURN QUERY SELECT * FROM log_damage();
END $$;

-- The numbers of the log: each is drawn by one transaction, in order, and never again.
CREATE FUNCTION log_damage() RETURNS SETOF text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_last int8; v_n int8;
BEGIN
  SELECT greatest((SELECT max(w.n) FROM log w), (SELECT max(o.n) FROM notes o)) INTO v_n;
  SELECT last_value INTO v_last FROM log_n;
  IF v_n > v_last THEN
    RETURN NEXT format('the sequence log_n stands at %s, behind the log, which goes up to %s: the '
      'database was copied without its sequences', v_last, v_n);
  END IF;
  IF EXISTS (SELECT FROM pg_sequence s WHERE s.seqrelid IN ('log_n'::regclass, 'calls'::regclass)
    AND (s.seqcache <> 1 OR s.seqcycle OR s.seqincrement <> 1))
  THEN
    RETURN NEXT 'the sequence log_n or calls was altered: it must rise by one, with CACHE 1, NO CYCLE';
  END IF;
END $$;

-- How far the oldest row of this database that is not frozen lies back, and from where on the
-- server freezes by force.
CREATE FUNCTION ages() RETURNS TABLE (kind text, age int8, forced_at int8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.kind, x.age, current_setting(x.setting)::int8
  FROM pg_database d CROSS JOIN LATERAL (VALUES
    ('transaction', age(d.datfrozenxid)::int8, 'autovacuum_freeze_max_age'),
    ('multixact', mxid_age(d.datminmxid)::int8, 'autovacuum_multixact_freeze_max_age'))
    x(kind, age, setting)
  WHERE d.datname = current_database();
END $$;

-- What is watched all the time: the same for every process.
CREATE FUNCTION gauges() RETURNS TABLE (name text, value float8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT format('postgres_%s_age', a.kind), a.age::float8 FROM ages() a
  UNION ALL SELECT 'postgres_horizon_seconds', coalesce(max(h.ms), 0) / 1000::float8 FROM horizon() h
  UNION ALL SELECT 'postgres_horizon_transactions', coalesce(max(h.transactions), 0)
    FROM horizon() h
  UNION ALL SELECT 'postgres_log_mark_seconds', coalesce(max(m.ms), 0) / 1000::float8
    FROM mark_holder() m
  UNION ALL SELECT format('postgres_%s_dead_rows', t.name), pg_stat_get_dead_tuples(t.name::regclass)
    FROM unnest(ARRAY['live', 'keys']) t(name)
  UNION ALL SELECT 'postgres_claim_index_bytes', pg_relation_size('live_claim'::regclass);
END $$;

-- Partitions whose time was over a day ago and that nobody has frozen yet. Where the caller does not
-- own them, the server's own vacuum is left to do it.
CREATE FUNCTION unfrozen(p_now float8) RETURNS SETOF text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_last int8;
BEGIN
  SELECT last_value INTO v_last FROM log_n;
  RETURN QUERY SELECT p.name FROM partitions p JOIN pg_class c ON c.oid = to_regclass(p.name)
  WHERE p.frozen_at IS NULL AND NOT p.is_closed AND pg_has_role(c.relowner, 'USAGE')
    AND CASE WHEN p.parent IN ('facts', 'ended')
      THEN time_of(p.high::uuid) < v_now - interval '1 day' ELSE p.high::int8 <= v_last END
  ORDER BY p.low LIMIT 1;
END $$;
CREATE FUNCTION mark_frozen(p_name text, p_now float8) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  UPDATE partitions p SET frozen_at = clock(p_now) WHERE p.name = p_name;
END $$;
