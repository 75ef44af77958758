-- Both by immutable functions alone: with a stable one in it, the planner would not take an immutable
-- function for the expression that it is, and each call would cost as much as a small statement.
CREATE FUNCTION ms(t timestamptz) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT (date_part('epoch', t - timestamptz 'epoch') * 1000)::int8
$$;
CREATE FUNCTION at_ms(ms float8) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(ms / 1000)
$$;
-- The database's time in whole milliseconds, unless a test has passed its own.
CREATE FUNCTION clock(p_now float8) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', coalesce(at_ms(p_now), clock_timestamp()))
$$;
CREATE FUNCTION now_ms(p_now float8) RETURNS int8 LANGUAGE plpgsql AS $$
BEGIN RETURN ms(clock(p_now)); END $$;
-- One element where it holds for all.
CREATE FUNCTION alike(a int[]) RETURNS int[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN a[1] = ALL (a) THEN a[1:1] ELSE a END
$$;
CREATE FUNCTION alike(a real[]) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN a[1] = ALL (a) THEN a[1:1] ELSE a END
$$;

-- The timeline that this server writes.
CREATE FUNCTION timeline_now() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
$$;
-- The database, its server and its log: a restored copy is another one.
CREATE FUNCTION home_now() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT md5(concat_ws('/', m.incarnation, c.system_identifier, d.oid, 'log'::regclass::oid))
    FROM meta m, pg_control_system() c, pg_database d WHERE d.datname = current_database());
END $$;

-- Gives the log a name where it has none on this server and timeline: a standby has taken over, or a
-- backup was restored. Nobody has drawn a number since, for whoever draws comes here first: so the
-- highest number there is the last of the log before. Numbers go on far behind it, lest one that was
-- lost is drawn again. Timelines have numbers that can occur twice, so the name is drawn by lot.
CREATE FUNCTION begin_timeline(OUT log text, OUT timeline text, OUT previous text, OUT last_n int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_timeline text := timeline_now(); v_home text := home_now(); m meta;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('pawl.timeline', (SELECT m.tag FROM meta m)));
  SELECT * INTO m FROM meta m;
  IF m.timeline <> v_timeline OR m.home <> v_home THEN
    SELECT coalesce(greatest((SELECT max(w.n) FROM log w), (SELECT max(o.n) FROM notes o)), 0)
    INTO last_n;
    IF m.log <> '' THEN
      PERFORM setval('log_n', greatest(s.last_value, last_n) + (1 << 20)) FROM log_n s;
    END IF;
    INSERT INTO timelines (log, previous, timeline, last_n, begun_at)
    VALUES (substr(md5(gen_random_uuid()::text), 1, 12), m.log, v_timeline,
      last_n, clock_timestamp());
    UPDATE meta SET log = (SELECT t.log FROM timelines t WHERE t.previous = m.log),
      home = v_home, timeline = v_timeline;
  END IF;
  SELECT t.log, t.timeline, t.previous, t.last_n INTO log, timeline, previous, last_n
  FROM timelines t JOIN meta m ON m.log = t.log;
END $$;

-- True where the log still has the name by which the caller knows it. What the caller remembers of
-- another one must not be used here; nothing is done then.
DO $do$ BEGIN
  EXECUTE format($f$CREATE FUNCTION on_log(p_log text) RETURNS boolean LANGUAGE plpgsql STABLE
    SECURITY DEFINER AS $$
    DECLARE v_log text; v_timeline text;
    BEGIN
      SELECT m.log, m.timeline INTO v_log, v_timeline FROM %1$I.meta m;
      IF v_log = p_log AND (pg_is_in_recovery()
        OR v_timeline = left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))
      THEN RETURN true; END IF;
      RAISE EXCEPTION USING ERRCODE = 'PW102',
        MESSAGE = 'the log is another one: a standby has taken over, or a backup was restored';
    END $$$f$, current_schema());
END $do$;

-- Draws a number of the log. Before its first, a transaction marks the highest one that was drawn
-- then: readers stop at the lowest mark that is held, so they wait for writers of the log and for
-- nobody else. The mark is remembered by a setting that a rollback to a savepoint undoes together
-- with the lock; one lock a transaction, whatever it writes.
CREATE FUNCTION draw() RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_mark text;
BEGIN
  IF current_setting('pawl.mark', true) IS DISTINCT FROM 'set' THEN
    -- As timeline_now() has it: a call of a function that is not taken apart costs as much as the rest.
    SELECT m.timeline INTO v_mark FROM meta m;
    IF v_mark <> left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) THEN
      PERFORM begin_timeline();
    END IF;
    -- Assignments of plain calls: each as a statement would cost several times as much.
    v_mark := pg_advisory_xact_lock_shared(mark_of(coalesce(pg_sequence_last_value('log_n'), 0)));
    v_mark := set_config('pawl.mark', 'set', true);
  END IF;
  RETURN nextval('log_n');
END $$;

-- A number as a lock: the installation's tag in the high 16 bits, 47 for the number.
-- The tag is part of the text, so that a draw need not look it up.
DO $do$ BEGIN
  EXECUTE format('CREATE FUNCTION mark_of(p_n int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
    SELECT %s::int8 | p_n $$', (SELECT m.tag::int8 << 47 FROM meta m));
END $do$;

-- Marks that are held now, by whom and since when.
CREATE FUNCTION marks() RETURNS TABLE (n int8, pid int) LANGUAGE sql STABLE AS $$
  SELECT k.key & ((1::int8 << 47) - 1), k.pid
  FROM (SELECT (l.classid::int8 << 32) | l.objid::int8 AS key, l.pid FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())) k
  WHERE (k.key >> 47) & 65535 = (SELECT m.tag FROM meta m)
$$;

-- Up to this number everything that will ever be written is there. The sequence is read first: a
-- mark that is taken later is not below it.
CREATE FUNCTION log_floor() RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_last int8; v_mark int8;
BEGIN
  SELECT last_value INTO v_last FROM log_n;
  SELECT min(n) INTO v_mark FROM marks();
  RETURN least(v_last, coalesce(v_mark, v_last));
END $$;

-- Writes the entry of a caller's transaction as it commits, so that a transaction that stays open
-- keeps no reader waiting.
CREATE FUNCTION write_late() RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_n int8 := draw();
BEGIN
  INSERT INTO log (n, ts, tenant, lane, lifecycle, kind, via_state, to_state, phase, has_texts,
    actor, jobs, versions, epochs, attempts, retries, progress)
  VALUES (v_n, NEW.ts, NEW.tenant, NEW.lane, NEW.lifecycle, 1, NEW.via_state, NEW.to_state,
    NEW.phase, false, NEW.actor, NEW.jobs, ARRAY[NEW.version], '{1}', '{0}', '{0}', '{0}');
  UPDATE live SET born_n = v_n WHERE id = ANY (NEW.jobs) AND tenant = NEW.tenant;
  DELETE FROM log_late WHERE call = NEW.call;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER write_late AFTER INSERT ON log_late DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION write_late();
