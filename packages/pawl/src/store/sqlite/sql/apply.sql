-- Moves. A job that ends is written to `ended` first, and only then leaves `live`.

-- @keys_of_ids
SELECT x.key AS ord, f.key FROM json_each(?1) x
CROSS JOIN facts f ON f.tenant = ?2 AND f.id = unhex(x.value, '-')
-- @live
SELECT * FROM live WHERE key = ?
-- @birth
SELECT created_at FROM facts WHERE key = ?
-- @details
SELECT stage, message, cancel_reason, error FROM details WHERE key = ?
-- @set_live
UPDATE live SET state = ?2, phase = ?3, epoch = ?4, version = ?5, notes = ?6, gate = ?7,
  flags = ?8, attempts = ?9, retry_count = ?10, rank_at = ?11, run_at = ?12, updated_at = ?13,
  started_at = ?14, backoff_ms = ?15, owner = ?16, token = ?17, lease_expiry = ?18,
  lease_end = ?19, lease_limit = ?20, cancel_mode = ?21, more_n = ?22
WHERE key = ?1
-- @put_details
INSERT INTO details AS d (key, error, checkpoint) VALUES (?1, ?2, ?3)
ON CONFLICT (key) DO UPDATE SET error = CASE WHEN ?4 THEN ?2 ELSE d.error END,
  checkpoint = coalesce(?3, d.checkpoint),
  cancel_reason = CASE WHEN ?5 THEN NULL ELSE d.cancel_reason END
-- @put_cancel_reason
INSERT INTO details (key, cancel_reason) VALUES (?1, ?2)
ON CONFLICT (key) DO UPDATE SET cancel_reason = ?2

-- @end
INSERT INTO ended (key, state, phase, epoch, version, flags, attempts, retry_count, progress,
  run_at, started_at, backoff_ms, born_n, claim_n, more_n, revision, completed_at, end_n,
  fingerprint, result, tenant, id, sum)
SELECT f.key, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
  CASE WHEN ?3 > 5 THEN f.tenant END, CASE WHEN ?3 > 5 THEN f.id END,
  row_sum(f.key, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 * 1000 | 0, ?10, ?11, ?17, ?12, ?13, ?14,
    ?18, CASE WHEN ?3 > 5 THEN f.tenant END;
    ?15, ?16, ?19, ?20, CASE WHEN ?3 > 5 THEN f.id END,
    d.stage, d.message, d.cancel_reason, d.checkpoint, d.error, d.input)
FROM facts f LEFT JOIN details d ON d.key = f.key WHERE f.key = ?1

-- Successes of one owner, from one place to another: jobs without keys and details. Only those that
-- stand there are found.
-- @find_owned
SELECT key, token, lane, version, epoch, attempts, retry_count FROM live
WHERE key IN (SELECT value FROM json_each(?1)) AND lifecycle = ?2 AND state = ?3 AND phase = 3
  AND epoch = ?4 AND owner = ?5 AND lease_expiry > ?6
  AND flags & 6 = 0 AND (?7 IS NULL OR ?7 = (cancel_mode IS NOT NULL))
-- @end_many
INSERT INTO ended (key, state, phase, epoch, version, flags, attempts, retry_count, progress,
  run_at, started_at, completed_at, backoff_ms, born_n, claim_n, end_n, more_n, revision, result,
  sum)
SELECT key, ?2, 5, epoch, version + 1, flags, attempts, retry_count, 100, run_at, started_at, ?3,
  backoff_ms, born_n, claim_n, ?4, more_n, revision, ?5,
  row_sum(key, ?2, 5, epoch, version + 1, flags, attempts, retry_count, 100000, run_at,
    started_at, ?3, backoff_ms, born_n, claim_n, ?4, NULL; more_n, revision, ?5)
FROM live WHERE key IN (SELECT value FROM json_each(?1))
-- @end_many_range
INSERT INTO ended (key, state, phase, epoch, version, flags, attempts, retry_count, progress,
  run_at, started_at, completed_at, backoff_ms, born_n, claim_n, end_n, more_n, revision, result,
  sum)
SELECT key, ?2, 5, epoch, version + 1, flags, attempts, retry_count, 100, run_at, started_at, ?3,
  backoff_ms, born_n, claim_n, ?4, more_n, revision, ?5,
  row_sum(key, ?2, 5, epoch, version + 1, flags, attempts, retry_count, 100000, run_at,
    started_at, ?3, backoff_ms, born_n, claim_n, ?4, NULL; more_n, revision, ?5)
FROM live WHERE key BETWEEN ?1 AND ?6
-- @end_each
INSERT INTO ended (key, state, phase, epoch, version, flags, attempts, retry_count, progress,
  run_at, started_at, completed_at, backoff_ms, born_n, claim_n, end_n, more_n, revision, result,
  sum)
SELECT l.key, ?2, 5, l.epoch, l.version + 1, l.flags, l.attempts, l.retry_count, 100, l.run_at,
  l.started_at, ?3, l.backoff_ms, l.born_n, l.claim_n, ?4, l.more_n,
  l.revision, x.value,
  row_sum(l.key, ?2, 5, l.epoch, l.version + 1, l.flags, l.attempts, l.retry_count, 100000,
    l.run_at, l.started_at, ?3, l.backoff_ms, l.born_n, l.claim_n, ?4, NULL; l.more_n, l.revision, x.value)
FROM json_each(?1) x CROSS JOIN live l ON l.key = CAST(x.key AS INTEGER)
-- @leave
DELETE FROM live WHERE key IN (SELECT value FROM json_each(?1))
-- @leave_range
DELETE FROM live WHERE key BETWEEN ?1 AND ?2

-- What has ended.
-- @ended
SELECT e.key, f.lane, f.lifecycle, e.state, e.phase, e.epoch, e.attempts, e.retry_count,
  e.progress, e.flags, e.completed_at,
  coalesce((SELECT max(a.version) FROM annotations a WHERE a.key = e.key), e.version) AS version
FROM ended e JOIN facts f ON f.key = e.key WHERE e.key = ?
-- @add_annotation
INSERT INTO annotations (key, version, n, at) VALUES (?, ?, ?, ?)
