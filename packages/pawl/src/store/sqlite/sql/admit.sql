-- The gates: who waits there, first in line first, and how many have passed.

-- @slot_line
SELECT key, policy, limit_key, user_key, organisation_key FROM keys
WHERE gate = 3 AND limit_key = ? ORDER BY rank_at, key LIMIT 1
-- @slot_taken
SELECT count(*) AS count FROM keys
WHERE limit_key = ? AND limit_key IS NOT NULL AND (gate IN (0, 4, 5) OR is_owned)
-- @user_line
SELECT key, policy, limit_key, user_key, organisation_key FROM keys
WHERE gate = 4 AND user_key = ? ORDER BY rank_at, key LIMIT 1
-- @user_open
SELECT count(*) AS count FROM keys WHERE user_key = ? AND user_key IS NOT NULL AND gate IN (0, 5)
-- @organisation_line
SELECT key, policy, limit_key, user_key, organisation_key FROM keys
WHERE gate = 5 AND organisation_key = ? ORDER BY rank_at, key LIMIT 1
-- @organisation_open
SELECT count(*) AS count FROM keys
WHERE organisation_key = ? AND organisation_key IS NOT NULL AND gate = 0

-- @keys
SELECT * FROM keys WHERE key = ?
-- @pass_gate
UPDATE keys SET gate = ?2 WHERE key = ?1
-- @set_keys
UPDATE keys SET gate = ?2, rank_at = ?3, is_owned = ?4 WHERE key = ?1
-- @drop_keys
DELETE FROM keys WHERE key = ?

-- @level
SELECT level, at FROM rate_levels WHERE key = ?
-- @put_level
INSERT INTO rate_levels VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key)
DO UPDATE SET level = ?2, at = ?3, next_at = coalesce(?4, next_at)
