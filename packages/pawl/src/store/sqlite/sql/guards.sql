-- A message is a literal: SQLite before 3.47, which a distribution may have, reads no other.
-- Every row that is written is checked by itself, whoever writes it: the move is listed, the pair
-- (epoch, phase) increases, epoch and version rise as they may. What happened does not change, but
-- by the verbs that erase and purge: while one of them works, `may_change` says yes, and its
-- transaction says no again before it commits, so that nobody else ever sees it. While a tenant
-- moves it says moving: its jobs leave the live ones here, and are live there, wherever they stand.

-- Rows that stay in their place may rise by one version (an annotation). The look-up is on the
-- table's own key: a constant list would be sorted anew each time the trigger fires. Renewals name
-- none of these columns and do not pay. A job changes its lane once at most: when it gets a revision
-- to which it is pinned, to that revision's lane of the same tenant, queue and type.
CREATE TRIGGER live_moves
AFTER UPDATE OF state, phase, epoch, version, lifecycle, lane, key, rowid ON live
WHEN NEW.lifecycle <> OLD.lifecycle OR NEW.key <> OLD.key
  OR (NEW.lane <> OLD.lane AND NOT (OLD.revision IS NULL AND EXISTS (
    SELECT 1 FROM lanes a JOIN lanes b ON b.number = NEW.lane WHERE a.number = OLD.lane
      AND b.tenant = a.tenant AND b.queue = a.queue AND b.type = a.type
      AND b.claim_type = a.type || '@' || NEW.revision)))
  OR NOT (
  EXISTS (SELECT 1 FROM moves m WHERE m.lifecycle = OLD.lifecycle
    AND m.from_state = OLD.state AND m.from_phase = OLD.phase
    AND m.to_state = NEW.state AND m.to_phase = NEW.phase
    AND m.is_quiet = OLD.version + 1 - NEW.version AND m.epochs = NEW.epoch - OLD.epoch)
  OR (NEW.version = OLD.version + (NEW.revision IS OLD.revision) AND NEW.epoch = OLD.epoch
    AND NEW.phase = OLD.phase AND NEW.state = OLD.state))
BEGIN
  SELECT CASE
    WHEN NEW.lifecycle <> OLD.lifecycle OR NEW.lane <> OLD.lane OR NEW.key <> OLD.key
      THEN RAISE(ABORT, 'pawl refuses this: a job keeps its lifecycle, lane and key')
    WHEN NEW.state = OLD.state AND NEW.phase = OLD.phase AND NEW.epoch = OLD.epoch
      THEN RAISE(ABORT, 'pawl refuses this: the version may rise by one only')
    WHEN NEW.epoch - OLD.epoch NOT IN (0, 1)
      THEN RAISE(ABORT, 'pawl refuses this: the epoch may stay or rise by one')
    WHEN NEW.epoch = OLD.epoch AND NEW.phase <= OLD.phase
      THEN RAISE(ABORT, 'pawl refuses this: the pair of epoch and phase must increase')
    WHEN NEW.version - OLD.version NOT IN (0, 1)
      THEN RAISE(ABORT, 'pawl refuses this: the version may rise by one only')
    ELSE RAISE(ABORT, 'pawl refuses this: the lifecycle lists no such move') END;
END;

CREATE TRIGGER live_keeps_revision BEFORE UPDATE OF revision ON live
WHEN OLD.revision IS NOT NULL AND NEW.revision IS NOT OLD.revision
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this: a job keeps the revision that it has');
END;

-- An end comes from the job's live row, by a listed move, and takes that row away.
CREATE TRIGGER ended_moves BEFORE INSERT ON ended
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'moving'
  AND NOT EXISTS (SELECT 1 FROM live l JOIN moves m ON m.lifecycle = l.lifecycle
    AND m.from_state = l.state AND m.from_phase = l.phase AND m.to_state = NEW.state
    AND m.to_phase = NEW.phase AND m.is_quiet = 0 AND m.epochs = NEW.epoch - l.epoch
  WHERE l.key = NEW.key AND NEW.version = l.version + 1)
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this end: no lifecycle lists it for a job that stands there');
END;
CREATE TRIGGER live_leaves BEFORE DELETE ON live
WHEN NOT EXISTS (SELECT 1 FROM ended e WHERE e.key = OLD.key)
  AND (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'moving'
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this: only a job that has ended leaves the live ones');
END;

-- OR REPLACE deletes the row in its way without a word to any delete trigger, so an insert over a
-- stored row is refused before it happens.
CREATE TRIGGER live_births BEFORE INSERT ON live
WHEN ((NEW.epoch <> 1 OR NEW.version > 2)
    AND (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'moving')
  OR EXISTS (SELECT 1 FROM live WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM ended WHERE key = NEW.key)
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this: a job is born once, in its first epoch');
END;
CREATE TRIGGER facts_births BEFORE INSERT ON facts
WHEN EXISTS (SELECT 1 FROM facts WHERE tenant = NEW.tenant AND id = NEW.id)
  OR EXISTS (SELECT 1 FROM facts WHERE key = NEW.key)
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this: the job exists already');
END;
CREATE TRIGGER log_births BEFORE INSERT ON log WHEN EXISTS (SELECT 1 FROM log WHERE n = NEW.n)
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this: the log has this number already');
END;

-- Erasure takes texts away and nothing else.
CREATE TRIGGER facts_stay BEFORE UPDATE ON facts
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
  OR NEW.input <> 'null' OR NEW.metadata IS NOT NULL
  OR (NEW.key, NEW.id, NEW.tenant, NEW.lane, NEW.policy, NEW.lifecycle, NEW.created_at)
    IS NOT (OLD.key, OLD.id, OLD.tenant, OLD.lane, OLD.policy, OLD.lifecycle, OLD.created_at)
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in facts does not change'); END;
CREATE TRIGGER facts_kept BEFORE DELETE ON facts
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
  OR EXISTS (SELECT 1 FROM live WHERE key = OLD.key)
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in facts does not change'); END;
CREATE TRIGGER ended_stay BEFORE UPDATE ON ended
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes' OR NEW.result IS NOT NULL
  OR (NEW.key, NEW.state, NEW.phase, NEW.epoch, NEW.version, NEW.completed_at)
    IS NOT (OLD.key, OLD.state, OLD.phase, OLD.epoch, OLD.version, OLD.completed_at)
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in ended does not change'); END;
CREATE TRIGGER ended_kept BEFORE DELETE ON ended
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in ended does not change'); END;
CREATE TRIGGER annotations_stay BEFORE UPDATE ON annotations
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in annotations does not change'); END;
CREATE TRIGGER annotations_kept BEFORE DELETE ON annotations
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in annotations does not change'); END;
CREATE TRIGGER log_stay BEFORE UPDATE ON log
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in log does not change'); END;
CREATE TRIGGER log_kept BEFORE DELETE ON log
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in log does not change'); END;
CREATE TRIGGER log_texts_stay BEFORE UPDATE ON log_texts
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes' OR NEW.message IS NOT NULL
  OR (NEW.key, NEW.n, NEW.stage, NEW.cause) IS NOT (OLD.key, OLD.n, OLD.stage, OLD.cause)
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in log_texts does not change'); END;
CREATE TRIGGER log_texts_kept BEFORE DELETE ON log_texts
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in log_texts does not change'); END;
CREATE TRIGGER notes_stay BEFORE UPDATE ON notes
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
  OR NEW.message IS NOT NULL OR NEW.payload IS NOT NULL
  OR (NEW.n, NEW.key, NEW.version, NEW.note) IS NOT (OLD.n, OLD.key, OLD.version, OLD.note)
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in notes does not change'); END;
CREATE TRIGGER notes_kept BEFORE DELETE ON notes
WHEN (SELECT value FROM meta WHERE name = 'may_change') IS NOT 'yes'
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: what is written in notes does not change'); END;
CREATE TRIGGER moves_stay BEFORE UPDATE ON moves
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: listed moves only grow'); END;
CREATE TRIGGER moves_kept BEFORE DELETE ON moves
BEGIN SELECT RAISE(ABORT, 'pawl refuses this: listed moves only grow'); END;
CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE ON records WHEN OLD.kind = 'audit'
BEGIN SELECT RAISE(ABORT, 'an entry of the audit log is never changed'); END;
