-- New jobs.

-- Jobs that are alike in all but their facts.
-- @add_live
INSERT INTO live (key, lane, policy, lifecycle, state, phase, epoch, version, notes, gate, flags,
  attempts, retry_count, priority, progress, rank_at, run_at, updated_at, deadline_at, born_n)
SELECT key, lane, policy, lifecycle, ?2, ?3, 1, ?4, 0, ?5, ?6, 0, 0, priority, 0, ?7, ?8,
  created_at, deadline_at, ?9
FROM facts WHERE key IN (SELECT value FROM json_each(?1))
-- @add_live_range
INSERT INTO live (key, lane, policy, lifecycle, state, phase, epoch, version, notes, gate, flags,
  attempts, retry_count, priority, progress, rank_at, run_at, updated_at, deadline_at, born_n)
SELECT key, lane, policy, lifecycle, ?2, ?3, 1, ?4, 0, ?5, ?6, 0, 0, priority, 0, ?7, ?8,
  created_at, deadline_at, ?9
FROM facts WHERE key BETWEEN ?1 AND ?10
-- @add_keys
INSERT INTO keys (key, rank_at, gate, is_owned, policy, limit_key, user_key, organisation_key,
  active_key) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?)
-- @has_job
SELECT 1 FROM facts WHERE tenant = ? AND id = ?
-- @active_job
SELECT f.id FROM keys k JOIN facts f ON f.key = k.key WHERE k.active_key = ?

-- @idempotency_key
SELECT payload_hash, id FROM idempotency_keys WHERE tenant = ? AND key = ? AND expires_at > ?
-- @put_idempotency_key
REPLACE INTO idempotency_keys (tenant, key, payload_hash, id, expires_at) VALUES (?, ?, ?, ?, ?)

-- @unique_key
SELECT id, until FROM unique_keys WHERE tenant = ? AND type = ? AND mode = ? AND key = ?
-- @put_unique_key
REPLACE INTO unique_keys (tenant, type, mode, key, id, until) VALUES (?, ?, ?, ?, ?, ?)
-- @amend
UPDATE live SET version = version + 1, notes = 0, updated_at = ?2, run_at = ?3, rank_at = ?4,
  more_n = ?5, flags = ?6 WHERE key = ?1
-- @set_rank
UPDATE keys SET rank_at = ?2 WHERE key = ?1
-- @put_input
INSERT INTO details (key, input) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET input = ?2
