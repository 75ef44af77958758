-- Claims, lane by lane.

-- The first job of the next lane that has any: one seek, whatever the length of a lane.
-- @next_lane
SELECT lane, rank_at, key FROM live WHERE gate = 0 AND lane >= ?
ORDER BY lane, rank_at, key LIMIT 1

-- Jobs that are claimed in the same way. min() of a null is null: a limit is there or not.
-- @take
UPDATE live SET state = ?2, phase = ?3, epoch = epoch + ?4, version = version + ?5,
  notes = notes * (1 - ?5), gate = NULL, attempts = max(attempts, 1), owner = ?6, token = ?7,
  claim_n = coalesce(?8, claim_n), lease_expiry = coalesce(min(?9, deadline_at), ?9),
  lease_end = ?10, lease_limit = coalesce(min(?11, deadline_at), ?11, deadline_at),
  updated_at = ?12, started_at = CASE WHEN ?3 = 3 THEN coalesce(started_at, ?12)
    ELSE started_at END
WHERE key IN (SELECT value FROM json_each(?1))
-- @take_range
UPDATE live SET state = ?2, phase = ?3, epoch = epoch + ?4, version = version + ?5,
  notes = notes * (1 - ?5), gate = NULL, attempts = max(attempts, 1), owner = ?6, token = ?7,
  claim_n = coalesce(?8, claim_n), lease_expiry = coalesce(min(?9, deadline_at), ?9),
  lease_end = ?10, lease_limit = coalesce(min(?11, deadline_at), ?11, deadline_at),
  updated_at = ?12, started_at = CASE WHEN ?3 = 3 THEN coalesce(started_at, ?12)
    ELSE started_at END
WHERE key BETWEEN ?1 AND ?13
-- The first revision that is offered for a job stays. Nobody else writes these columns.
-- @fix_revision
UPDATE live SET revision = ?2, lane = ?3, flags = flags | ?4
WHERE key IN (SELECT value FROM json_each(?1))
-- @set_positions
UPDATE live SET more_n = ?2, flags = ?3 WHERE key = ?1

-- What the same claim has won before and still owns.
-- @claimed_before
SELECT * FROM job WHERE key IN (
    SELECT j.value FROM claims c, json_each(c.keys) j WHERE c.owner = ?1 AND c.request = ?2)
  AND token = (SELECT token FROM claims WHERE owner = ?1 AND request = ?2)
  AND owner = ?1 AND lease_expiry > ?3
ORDER BY key
-- @put_claim
REPLACE INTO claims (owner, request, token, at, keys) VALUES (?, ?, ?, ?, ?)
