-- Jobs lie in partitions by the time in their id, the log in partitions of 2^32 numbers. There is no
-- default partition: an id of the future in it would stop the next one for good.
CREATE TABLE partitions (
  parent text NOT NULL, name text NOT NULL, low text NOT NULL, high text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Nothing is written to it any more: it is about to be detached and dropped.
  is_closed boolean NOT NULL DEFAULT false,
  -- When it was frozen, once its time was over.
  frozen_at timestamptz, PRIMARY KEY (parent, name)
);

CREATE FUNCTION id_at(t timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (left(h, 8) || '-' || right(h, 4) || '-0000-0000-000000000000')::uuid
  FROM (SELECT lpad(to_hex(greatest(0, ms(t))), 12, '0') AS h) x
$$;

-- Made beside the parent and attached with a constraint that spares the look at its rows.
CREATE FUNCTION add_partition(p_parent text, p_name text, p_low text, p_high text, p_type text,
  p_column text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF EXISTS (SELECT FROM partitions p WHERE p.parent = p_parent AND p.name = p_name) THEN RETURN; END IF;
  -- Rows are added and never changed: an automatic vacuum comes for their number alone, seldom, and
  -- freezes what it reads, so that no page is written a second time for it.
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) WITH (autovacuum_freeze_min_age = 0,
    autovacuum_vacuum_insert_scale_factor = 0.4, autovacuum_vacuum_insert_threshold = 100000)',
    p_name, p_parent);
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT in_range CHECK (%I >= %L::%s AND %I < %L::%s)',
    p_name, p_column, p_low, p_type, p_column, p_high, p_type);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
    p_parent, p_name, p_low, p_high);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT in_range', p_name);
  PERFORM guard_table(p_name::regclass);
  IF p_parent <> 'notes' THEN PERFORM freeze_table(p_name::regclass); END IF;
  INSERT INTO partitions (parent, name, low, high) VALUES (p_parent, p_name, p_low, p_high);
END $$;

CREATE FUNCTION add_job_partition(p_low timestamptz, p_high timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_name text := to_char(p_low AT TIME ZONE 'UTC', 'YYYYMMDD"t"HH24MI'); v_t text;
BEGIN
  FOREACH v_t IN ARRAY ARRAY['facts', 'ended'] LOOP
    PERFORM add_partition(v_t, v_t || '_' || v_name, id_at(p_low)::text, id_at(p_high)::text, 'uuid',
      'id');
  END LOOP;
END $$;

-- Partitions of jobs, the first one beginning a day before now, up to four widths ahead; of the log
-- and of notes, four ahead of the one in use. A time that was slept through is one partition. Where
-- nothing is dropped they become wider, so that they stay few.
CREATE FUNCTION ensure_partitions(p_width interval, p_now float8) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := clock(p_now); v_begin timestamptz := date_trunc('hour', v_now) - interval '1 day';
  v_low timestamptz; v_first timestamptz; v_past int; v_last int8; v_t text;
BEGIN
  PERFORM pg_advisory_xact_lock(partitions_lock());
  SELECT max(time_of(p.high::uuid)), min(time_of(p.low::uuid)),
    count(*) FILTER (WHERE time_of(p.high::uuid) < v_now)
  INTO v_low, v_first, v_past FROM partitions p WHERE p.parent = 'facts' AND NOT p.is_closed;
  IF v_past >= 8 THEN p_width := greatest(p_width, (v_now - v_first) / 8); END IF;
  IF v_low < v_begin THEN PERFORM add_job_partition(v_low, v_begin); END IF;
  v_low := coalesce(greatest(v_low, v_begin), v_begin);
  WHILE v_low < v_now + interval '1 day' + 4 * p_width LOOP
    PERFORM add_job_partition(v_low, v_low + p_width);
    v_low := v_low + p_width;
  END LOOP;
  SELECT last_value INTO v_last FROM log_n;
  FOR i IN (v_last >> 32)::int..(v_last >> 32)::int + 4 LOOP
    FOREACH v_t IN ARRAY ARRAY['log', 'log_texts'] LOOP
      PERFORM add_partition(v_t, v_t || '_' || i, (i::int8 << 32)::text, ((i + 1)::int8 << 32)::text,
        'int8', 'n');
    END LOOP;
  END LOOP;
  -- Notes of jobs that came with their tenant from another database, which no reader of the log sees.
  PERFORM add_partition('notes', 'notes_moved', (-1::int8 << 62)::text, '0', 'int8', 'n');
  FOR i IN (v_last >> 28)::int..(v_last >> 28)::int + 4 LOOP
    PERFORM add_partition('notes', 'notes_' || i, (i::int8 << 28)::text, ((i + 1)::int8 << 28)::text,
      'int8', 'n');
  END LOOP;
END $$;

CREATE FUNCTION partitions_lock() RETURNS int8 LANGUAGE sql STABLE AS $$
  SELECT hashtextextended('pawl.partitions', m.tag) FROM meta m
$$;

-- The time in an id.
CREATE FUNCTION time_of(p_id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT at_ms(('x' || lpad(translate(left(p_id::text, 13), '-', ''), 16, '0'))::bit(64)::int8)
$$;

-- The bounds between which ids go to partitions, if their time is not more than a day to come.
CREATE FUNCTION partition_bounds(OUT low text, OUT high text, OUT ahead_ms int8, OUT now int8)
LANGUAGE sql STABLE AS $$
  SELECT min(p.low), max(p.high), ms(time_of(max(p.high)::uuid)) - ms(clock_timestamp()),
    ms(clock_timestamp())
  FROM partitions p WHERE p.parent = 'facts' AND NOT p.is_closed
$$;

-- Goes on in the next partition of notes, and every sixteenth time of the log, once the one in use
-- has been so for long enough.
CREATE FUNCTION turn_log(p_every interval, p_now float8) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(partitions_lock());
  UPDATE meta SET turned_at = clock(p_now) WHERE turned_at = '-infinity';
  UPDATE meta SET turned_at = clock(p_now) WHERE turned_at <= clock(p_now) - p_every;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM setval('log_n', ((last_value >> 28) + 1) << 28) FROM log_n;
  RETURN true;
END $$;
