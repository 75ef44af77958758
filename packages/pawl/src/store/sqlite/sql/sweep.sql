-- Jobs by what they are, and those whose time has come.

-- @job_by_id
SELECT * FROM job WHERE tenant = ? AND id = ?
-- @phase_by_id
SELECT coalesce(l.phase, e.phase) FROM facts f LEFT JOIN live l ON l.key = f.key
LEFT JOIN ended e ON e.key = CASE WHEN l.key IS NULL THEN f.key END
WHERE f.tenant = ? AND f.id = ?
-- @job_by_key
SELECT * FROM job WHERE key = ?
-- @jobs_by_key
SELECT * FROM job WHERE key IN (SELECT value FROM json_each(?))
-- @stages
SELECT name, result, at FROM stages WHERE key = ? ORDER BY n

-- @count_stages
SELECT count(*) AS stages FROM stages WHERE key = ? AND name IS NOT ?

-- @expired
SELECT * FROM job WHERE key IN (SELECT key FROM live INDEXED BY live_owned
  WHERE owner IS NOT NULL AND lease_expiry <= ? ORDER BY lease_expiry, key LIMIT ?)
-- @overdue
SELECT * FROM job WHERE key IN (SELECT key FROM live INDEXED BY live_deadline
  WHERE lifecycle = ? AND state = ? AND phase = ? AND deadline_at IS NOT NULL AND deadline_at <= ?
  ORDER BY deadline_at, key LIMIT ?)
-- @to_requeue
SELECT * FROM job WHERE key IN (SELECT key FROM live
  WHERE gate = 2 AND run_at <= ? ORDER BY run_at, key LIMIT ?)
-- @owned
SELECT f.tenant, f.id FROM live l INDEXED BY live_owned JOIN facts f ON f.key = l.key
WHERE l.owner IS NOT NULL AND l.owner = ?1 AND (?2 IS NULL OR f.tenant = ?2)
ORDER BY f.id LIMIT ?3

-- @due
SELECT key, flags FROM live WHERE gate = 1 AND run_at <= ? ORDER BY run_at, key LIMIT ?
-- @open
UPDATE live SET gate = 0 WHERE key IN (SELECT value FROM json_each(?))
-- @open_keys
UPDATE keys SET gate = CASE WHEN limit_key IS NOT NULL THEN 3 WHEN user_key IS NOT NULL THEN 4
  WHEN organisation_key IS NOT NULL THEN 5 ELSE 0 END
WHERE key = ?
RETURNING gate, limit_key, user_key, organisation_key
-- @set_gate
UPDATE live SET gate = ?2 WHERE key = ?1
-- @due_tokens
UPDATE rate_levels SET next_at = NULL WHERE key IN (
  SELECT key FROM rate_levels WHERE next_at <= ? ORDER BY next_at LIMIT ?)
RETURNING key
-- @next_due
SELECT min(at) AS at FROM (SELECT min(run_at) AS at FROM live WHERE gate = 1
  UNION ALL SELECT min(run_at) FROM live WHERE gate = 2)
