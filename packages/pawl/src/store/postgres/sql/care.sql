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
