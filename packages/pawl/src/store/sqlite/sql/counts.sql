-- How many jobs stand where.

-- @count_owned
SELECT l.lane, l.lifecycle, l.state, l.phase, l.priority >= 100 AS is_high, count(*) AS count,
  min(l.run_at) AS oldest, 0 AS is_at_least
FROM live l INDEXED BY live_owned WHERE l.owner IS NOT NULL
GROUP BY l.lane, l.lifecycle, l.state, l.phase, is_high
-- The lanes of jobs in a line, by one look-up for each, however many stand between.
-- @lanes_open
SELECT lane FROM live WHERE gate = 0 AND lane > ? ORDER BY lane LIMIT 1
-- @lanes_aside
SELECT lane FROM live INDEXED BY live_aside WHERE gate IS NOT 0 AND owner IS NULL AND lane > ?
ORDER BY lane LIMIT 1
-- The first of a line, by place.
-- @count_open
SELECT lane, lifecycle, state, phase, is_high, count(*) AS count, min(run_at) AS oldest,
  sum(count(*)) OVER () >= ?2 AS is_at_least
FROM (SELECT lane, lifecycle, state, phase, priority >= 100 AS is_high, run_at FROM live
  WHERE gate = 0 AND lane = ?1 ORDER BY rank_at, key LIMIT ?2)
GROUP BY lifecycle, state, phase, is_high
-- @count_aside
SELECT lane, lifecycle, state, phase, is_high, count(*) AS count, min(run_at) AS oldest,
  sum(count(*)) OVER () >= ?3 AS is_at_least
FROM (SELECT lane, lifecycle, state, phase, priority >= 100 AS is_high, run_at
  FROM live INDEXED BY live_aside
  WHERE gate IS NOT 0 AND owner IS NULL AND lane = ?1 AND phase = ?2 ORDER BY run_at LIMIT ?3)
GROUP BY lifecycle, state, is_high

-- @depth
SELECT count(*) AS count FROM (
  SELECT 1 FROM live WHERE gate = 0 AND lane IN (SELECT value FROM json_each(?1))
  UNION ALL SELECT 1 FROM live INDEXED BY live_aside WHERE gate IS NOT 0 AND owner IS NULL
    AND lane IN (SELECT value FROM json_each(?1)) AND phase = 1 AND gate > 2 LIMIT ?2)
-- @owned_in
SELECT count(*) AS count FROM live INDEXED BY live_owned
WHERE owner IS NOT NULL AND lane IN (SELECT value FROM json_each(?))

-- How turns of each lane have ended since a moment: times rise with the numbers of the log.
-- @turns
SELECT lane, ts - ts % 1000 AS at,
  sum(json_array_length(jobs)) FILTER (WHERE turn = 1) AS succeeded,
  sum(json_array_length(jobs)) FILTER (WHERE turn = 2) AS failed
FROM log WHERE n > coalesce((SELECT n FROM log WHERE ts < ?1 ORDER BY n DESC LIMIT 1), 0)
  AND turn IS NOT NULL AND ts - ts % 1000 >= ?1
GROUP BY lane, at

-- Who is before a job in its line.
-- @ahead_in_lane
SELECT count(*) AS count FROM (SELECT 1 FROM live
  WHERE gate = 0 AND lane = ?1 AND (rank_at, key) < (?2, ?3) LIMIT ?4)
-- @ahead_at_slot
SELECT count(*) AS count FROM (SELECT 1 FROM keys
  WHERE gate = 3 AND limit_key = ?1 AND (rank_at, key) < (?2, ?3) LIMIT ?4)
-- @ahead_at_user
SELECT count(*) AS count FROM (SELECT 1 FROM keys
  WHERE gate = 4 AND user_key = ?1 AND (rank_at, key) < (?2, ?3) LIMIT ?4)
-- @ahead_at_organisation
SELECT count(*) AS count FROM (SELECT 1 FROM keys
  WHERE gate = 5 AND organisation_key = ?1 AND (rank_at, key) < (?2, ?3) LIMIT ?4)
-- @holders
SELECT f.id, o.name AS owner FROM keys k JOIN facts f ON f.key = k.key
JOIN live l ON l.key = k.key LEFT JOIN owners o ON o.number = l.owner
WHERE k.limit_key = ?1 AND k.limit_key IS NOT NULL AND (k.gate IN (0, 4, 5) OR k.is_owned)
ORDER BY k.key LIMIT ?2
-- @next_token
SELECT next_at FROM rate_levels WHERE key = ?

-- How many jobs stood where at a moment: those of now, with every entry since then undone.
-- @first_entry
SELECT ts FROM log WHERE n >= ? ORDER BY n LIMIT 1
-- The last entry before a moment.
-- @last_before
SELECT n FROM log WHERE ts < ? ORDER BY n DESC LIMIT 1
-- @past
WITH since AS (SELECT lane, lifecycle, from_state, to_state, phase, json_array_length(jobs) AS jobs
  FROM log WHERE n > coalesce((SELECT n FROM log WHERE ts <= ?1 ORDER BY n DESC LIMIT 1), 0))
SELECT lane, lifecycle, state, sum(count) AS count FROM (
  SELECT lane, lifecycle, state, count(*) AS count FROM live GROUP BY lane, lifecycle, state
  UNION ALL SELECT lane, lifecycle, to_state, -jobs FROM since WHERE phase < 5
  -- What is told of a job that has ended comes from where it leads to.
  UNION ALL SELECT lane, lifecycle, from_state, jobs FROM since
    WHERE from_state IS NOT NULL AND (phase < 5 OR from_state <> to_state))
GROUP BY lane, lifecycle, state HAVING sum(count) <> 0
