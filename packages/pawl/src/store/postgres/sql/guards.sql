-- Two guards, in every installation. Whatever does not come through a verb is refused by statement,
-- on every table and partition; and every row that a verb writes is checked by itself: the move is
-- listed, the pair (epoch, phase) increases, epoch and version rise as they may. Moves that most
-- jobs make pass by an integer comparison alone, all others are looked up.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RAISE EXCEPTION USING ERRCODE = TG_ARGV[0], MESSAGE = format(TG_ARGV[1], TG_TABLE_NAME);
END $$;

CREATE FUNCTION guard_table(p_table regclass) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  EXECUTE format('CREATE TRIGGER only_verbs BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
    FOR EACH STATEMENT WHEN (current_setting(''pawl.verb'', true) IS DISTINCT FROM ''on'')
    EXECUTE FUNCTION refuse(''PW002'', ''%s is written by the verbs of Pawl alone'')', p_table, '%s');
END $$;

-- What happened does not change, but by the verbs that erase and that carry rows on.
CREATE FUNCTION freeze_table(p_table regclass) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  EXECUTE format('CREATE TRIGGER frozen BEFORE UPDATE OR DELETE OR TRUNCATE ON %s FOR EACH STATEMENT
    WHEN (current_setting(''pawl.may_change'', true) IS DISTINCT FROM ''on'')
    EXECUTE FUNCTION refuse(''PW003'', ''what is written in %s does not change'')', p_table, '%s');
END $$;

CREATE FUNCTION guard_move() RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_is_same boolean := NEW.state = OLD.state AND NEW.phase = OLD.phase
    AND NEW.epoch = OLD.epoch; m moves; v_states text[]; v_name text;
BEGIN
  -- A job changes its lane once at most: when it gets a revision to which it is pinned.
  IF NEW.id = OLD.id AND NEW.tenant = OLD.tenant AND NEW.lifecycle = OLD.lifecycle
    AND NEW.seq = OLD.seq AND (NEW.lane = OLD.lane
    OR OLD.revision IS NULL AND EXISTS (
      SELECT FROM lanes a JOIN lanes b ON b.tenant = a.tenant AND b.queue = a.queue
        AND b.type = a.type AND b.claim_type = a.type || '@' || NEW.revision
      WHERE a.number = OLD.lane AND b.number = NEW.lane)) THEN
    IF v_is_same AND NEW.version - OLD.version IN (0, 1) THEN RETURN NULL; END IF;
    IF EXISTS (SELECT FROM moves m WHERE m.lifecycle = OLD.lifecycle AND m.from_state = OLD.state
      AND m.from_phase = OLD.phase AND m.to_state = NEW.state AND m.to_phase = NEW.phase
      AND NEW.epoch = OLD.epoch + m.epochs
      AND NEW.version = OLD.version + CASE WHEN m.is_quiet THEN 0 ELSE 1 END)
    THEN RETURN NULL; END IF;
  END IF;
  SELECT l.states, l.name || ' v' || l.version INTO v_states, v_name
  FROM lifecycles l WHERE l.number = OLD.lifecycle;
  RAISE EXCEPTION USING ERRCODE = 'PW001', MESSAGE = format(
    '%s, job %s: %s/%s (epoch %s, version %s) → %s/%s (epoch %s, version %s): %s',
    v_name, OLD.id, v_states[OLD.state], OLD.phase, OLD.epoch, OLD.version,
    v_states[NEW.state], NEW.phase, NEW.epoch, NEW.version, CASE
      WHEN NEW.lifecycle <> OLD.lifecycle OR NEW.lane <> OLD.lane OR NEW.seq <> OLD.seq
        OR NEW.id <> OLD.id OR NEW.tenant <> OLD.tenant
        THEN 'a job keeps its lifecycle, lane and age'
      WHEN v_is_same THEN 'the version may rise by one only'
      WHEN NEW.epoch - OLD.epoch NOT IN (0, 1) THEN 'the epoch may stay or rise by one'
      WHEN NEW.epoch = OLD.epoch AND NEW.phase <= OLD.phase THEN 'the pair must increase'
      WHEN NEW.version - OLD.version NOT IN (0, 1) THEN 'the version may rise by one only'
      ELSE 'the lifecycle lists no such move' END);
END $$;

CREATE FUNCTION guard_end() RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF NEW.version = NEW.from_version + 1 AND NEW.epoch = NEW.from_epoch AND EXISTS (SELECT FROM moves m
    WHERE m.lifecycle = NEW.lifecycle AND m.from_state = NEW.from_state
      AND m.from_phase = NEW.from_phase AND m.to_state = NEW.state AND m.to_phase = NEW.phase
      AND m.epochs = 0)
  THEN RETURN NULL; END IF;
  RAISE EXCEPTION USING ERRCODE = 'PW001', MESSAGE = format(
    'job %s: no lifecycle lists an end in %s/%s, epoch %s, version %s, that came from %s/%s, %s, %s',
    NEW.id, NEW.state, NEW.phase, NEW.epoch, NEW.version, NEW.from_state, NEW.from_phase,
    NEW.from_epoch, NEW.from_version);
END $$;

-- Every table that has a guard, and by which triggers; partitions have those of their parent, but
-- for the rows' own, which a parent hands on.
CREATE FUNCTION guards() RETURNS TABLE (name text, trigger text) LANGUAGE sql IMMUTABLE AS $$
  SELECT t, 'only_verbs' FROM unnest(ARRAY['facts', 'facts_other', 'live', 'keys', 'details',
    'stages', 'ended', 'ended_other', 'annotations', 'log', 'log_texts', 'notes', 'positions',
    'log_carried', 'log_texts_carried', 'log_late', 'departures', 'idempotency_keys', 'unique_keys',
    'limits', 'rate_levels', 'rate_starts', 'moves', 'policies', 'records', 'timelines']) t
  UNION ALL
  SELECT t, 'frozen' FROM unnest(ARRAY['facts', 'facts_other', 'ended', 'ended_other',
    'annotations', 'log', 'log_texts', 'log_carried', 'log_texts_carried']) t
  UNION ALL
  VALUES ('live', 'guard_move'), ('live', 'guard_kept'), ('live', 'keeps_revision'),
    ('ended', 'guard_end'), ('ended_other', 'guard_end'),
    ('records', 'audit_is_only_added_to'), ('log_late', 'write_late')
$$;

SELECT guard_table(g.name::regclass) FROM guards() g WHERE g.trigger = 'only_verbs';
SELECT freeze_table(g.name::regclass) FROM guards() g WHERE g.trigger = 'frozen';

CREATE TRIGGER keeps_revision BEFORE UPDATE OF revision ON live FOR EACH ROW
WHEN (OLD.revision IS NOT NULL AND NEW.revision IS DISTINCT FROM OLD.revision)
EXECUTE FUNCTION refuse('PW001', 'a job keeps the revision that it has');

-- An entry of the audit log is never changed, by whatever verb.
CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE ON records FOR EACH ROW
WHEN (OLD.kind = 'audit') EXECUTE FUNCTION refuse('PW003', 'an entry of the audit log is never changed');
