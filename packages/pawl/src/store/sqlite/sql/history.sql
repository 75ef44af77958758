-- The log, written and read.

-- @add_entry
INSERT INTO log (n, ts, lane, lifecycle, kind, turn, from_state, via_state, to_state, phase,
  has_texts, actor, versions, epochs, attempts, retries, progress, jobs, sum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- @add_texts
INSERT INTO log_texts (key, n, stage, message, cause, payload, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
-- @add_note
INSERT INTO notes (n, key, version, note, ts, lane, lifecycle, kind, state, phase, epoch, attempt,
  retry_count, progress, actor, stage, message, payload)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- @last_n
SELECT max(coalesce((SELECT max(n) FROM log), 0), coalesce((SELECT max(n) FROM notes), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_n'), 0)) AS n

-- A job with more than 32 positions has the older ones here, in parts.
-- @add_positions
INSERT INTO positions VALUES (?, ?, ?)
-- @positions
SELECT ns FROM positions WHERE key = ? AND last_version > ? ORDER BY last_version LIMIT ?
-- @annotation_positions
SELECT n FROM annotations WHERE key = ?
-- @entries
SELECT * FROM log WHERE n IN (SELECT value FROM json_each(?))
-- @texts_at
SELECT stage, message, cause, payload FROM log_texts WHERE key = ? AND n = ?
-- @notes_of_job
SELECT * FROM notes WHERE key = ?1 AND (version, note) > (?2, ?3) ORDER BY version, note LIMIT ?4

-- @entries_from
SELECT * FROM log WHERE n >= ?1 ORDER BY n LIMIT ?2
-- One that was created and queued at once (via_state) tells both: code 2, by way of rank 0.
-- @entries_of
SELECT w.* FROM log w WHERE n >= ?1 AND n <= ?2 AND (
  (1 << kind | iif(via_state IS NULL, 0, 4)) & ?4 <> 0
  OR (1 << phase | iif(via_state IS NULL, 0, 1)) & ?5 <> 0
  OR (((1 << kind | iif(via_state IS NULL, 0, 4)) & ?6 <> 0
      OR (1 << phase | iif(via_state IS NULL, 0, 1)) & ?7 <> 0)
    AND EXISTS (SELECT 1 FROM json_each(w.jobs) x JOIN facts f ON f.key = x.value
      WHERE hex(substr(f.id, 7, 1)) GLOB '8*' AND hex(substr(f.id, 9, 1)) GLOB '9*')))
ORDER BY n LIMIT ?3
-- @notes_from
SELECT * FROM notes WHERE n >= ?1 ORDER BY n LIMIT ?2
-- @labels
SELECT key, id, correlation_id, trace_id, awaited_by FROM facts WHERE key IN (SELECT value FROM json_each(?))

-- @entry_counts
SELECT n, ts, lane, kind, phase, jobs FROM log WHERE n >= ?1 ORDER BY n LIMIT ?2
-- @job_times
SELECT j.value AS key, coalesce(l.run_at, e.run_at) AS run_at,
  coalesce(l.started_at, e.started_at) AS started_at
FROM json_each(?) j LEFT JOIN live l ON l.key = j.value LEFT JOIN ended e ON e.key = j.value
