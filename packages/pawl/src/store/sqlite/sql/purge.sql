-- What may go, in slices. may_change is said by the caller.

-- @jobs_from
SELECT f.key, f.created_at, CASE WHEN e.key IS NULL THEN f.created_at <= ?1 AND f.key NOT IN (
    SELECT key FROM live) ELSE e.completed_at <= ?1 END
  AND (f.awaited_by IS NULL OR NOT EXISTS (SELECT 1 FROM facts p JOIN live l ON l.key = p.key
    WHERE p.tenant = f.tenant AND p.id = unhex(f.awaited_by ->> '$.jobId', '-'))) AS may_go
FROM facts f LEFT JOIN ended e ON e.key = f.key WHERE f.key > ?2 ORDER BY f.key LIMIT ?3
-- @purge_facts
DELETE FROM facts WHERE key IN (SELECT value FROM json_each(?))
-- @purge_ended
DELETE FROM ended WHERE key IN (SELECT value FROM json_each(?))
-- @purge_details
DELETE FROM details WHERE key IN (SELECT value FROM json_each(?))
-- @purge_stages
DELETE FROM stages WHERE key IN (SELECT value FROM json_each(?))
-- @purge_positions
DELETE FROM positions WHERE key IN (SELECT value FROM json_each(?))
-- @purge_annotations
DELETE FROM annotations WHERE key IN (SELECT value FROM json_each(?))
-- @purge_texts
DELETE FROM log_texts WHERE key IN (SELECT value FROM json_each(?))
-- @purge_notes_of
DELETE FROM notes WHERE key IN (SELECT value FROM json_each(?))

-- The history of jobs that came with their tenant from another database.
-- @purge_moved
DELETE FROM log WHERE n < 0 AND jobs ->> '$[0]' IN (SELECT value FROM json_each(?))

-- An entry is needed as long as one of its jobs is there.
-- @entries_after
SELECT n, ts,
  EXISTS (SELECT 1 FROM json_each(w.jobs) j JOIN facts f ON f.key = j.value) AS is_needed
FROM log w WHERE n > ? ORDER BY n LIMIT ?
-- @purge_log
DELETE FROM log WHERE n IN (SELECT value FROM json_each(?))
-- @times_from
SELECT n, ts FROM log WHERE n >= ? ORDER BY n LIMIT ?
-- @last_entry
SELECT max(n) AS n FROM log
-- @first_notes
SELECT n, ts FROM notes ORDER BY n LIMIT ?
-- @purge_notes
DELETE FROM notes WHERE n <= ?

-- @purge_idempotency_keys
DELETE FROM idempotency_keys WHERE (tenant, key) IN (
  SELECT tenant, key FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
-- A key whose job can still be joined has a say beyond its window.
-- @purge_unique_keys
DELETE FROM unique_keys WHERE (tenant, type, mode, key) IN (
  SELECT u.tenant, u.type, u.mode, u.key FROM unique_keys u WHERE u.until <= ?
    AND NOT EXISTS (SELECT 1 FROM facts f JOIN live l ON l.key = f.key
      WHERE f.tenant = u.tenant AND f.id = u.id AND l.epoch = 1 AND l.phase IN (0, 1))
  ORDER BY u.until LIMIT ?)
-- @purge_claims
DELETE FROM claims WHERE (owner, request) IN (
  SELECT owner, request FROM claims WHERE at <= ? ORDER BY at LIMIT ?)
