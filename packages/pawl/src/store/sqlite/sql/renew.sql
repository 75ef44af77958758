-- @owned_job
SELECT * FROM live WHERE key = ? AND epoch = ? AND owner = ? AND lease_expiry > ?
-- @renew
UPDATE live SET lease_expiry = ?2, lease_end = ?3, progress = ?4, notes = ?5, flags = ?6,
  updated_at = ?7 WHERE key = ?1
-- @report
INSERT INTO details AS d (key, stage, message, checkpoint) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (key) DO UPDATE SET stage = ?2, message = ?3, checkpoint = coalesce(?4, d.checkpoint)
-- @put_stage
REPLACE INTO stages (key, name, result, at) VALUES (?, ?, ?, ?)
