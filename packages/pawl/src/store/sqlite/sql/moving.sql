-- Tenants that move to another database, or come from one.

-- @tenant_standing
SELECT generation, left_for FROM tenants WHERE name = ?
-- @left_tenants
SELECT name, left_for FROM tenants WHERE left_for IS NOT NULL
-- @arriving
SELECT generation, arriving FROM tenants WHERE number = ?
-- @set_left
UPDATE tenants SET left_for = ?2, generation = ?3, arriving = NULL WHERE number = ?1
-- @set_arriving
UPDATE tenants SET arriving = ?2 WHERE number = ?1
-- @set_arrived
UPDATE tenants SET generation = ?2, arriving = NULL, left_for = NULL
WHERE number = ?1 AND generation < ?2 AND arriving = ?2
-- @facts_of_tenant
SELECT key FROM facts WHERE tenant = ?
-- @key_of_id
SELECT key FROM facts WHERE tenant = ? AND id = ?
-- @ended_of_tenant
SELECT f.key FROM facts f JOIN ended e ON e.key = f.key
WHERE f.tenant = ?1 AND f.key > ?2 ORDER BY f.key LIMIT ?3
-- @ended_since
SELECT DISTINCT e.key FROM log w CROSS JOIN json_each(w.jobs) j
  JOIN lanes l ON l.number = w.lane JOIN ended e ON e.key = j.value
WHERE w.n > ?1 AND w.n <= ?2 AND l.tenant = ?3 ORDER BY e.key
-- @live_of_tenant
SELECT f.key FROM facts f JOIN live l ON l.key = f.key WHERE f.tenant = ? ORDER BY f.key

-- @all_of_facts
SELECT * FROM facts WHERE key = ?
-- @all_of_live
SELECT * FROM live WHERE key = ?
-- @all_of_keys
SELECT * FROM keys WHERE key = ?
-- @all_of_details
SELECT * FROM details WHERE key = ?
-- @all_of_ended
SELECT * FROM ended WHERE key = ?
-- @all_of_stages
SELECT * FROM stages WHERE key = ? ORDER BY n
-- @all_of_annotations
SELECT * FROM annotations WHERE key = ?
-- @all_of_positions
SELECT * FROM positions WHERE key = ?
-- @all_of_texts
SELECT * FROM log_texts WHERE key = ?
-- @all_of_notes
SELECT * FROM notes WHERE key = ? ORDER BY version, note
-- @rates_of_tenant
SELECT * FROM rate_levels WHERE key >= ? AND key < ?

-- @add_departure
INSERT INTO departures VALUES (?, ?, ?)
-- @departures
SELECT part, body FROM departures WHERE tenant = ? AND part > ? ORDER BY part LIMIT ?
-- @drop_departures
DELETE FROM departures WHERE tenant = (
  SELECT number FROM tenants WHERE number = ? AND left_for IS NOT NULL)
-- @leave_keys
DELETE FROM keys WHERE key IN (SELECT value FROM json_each(?))
-- @leave_live
DELETE FROM live WHERE key IN (SELECT value FROM json_each(?))
-- @first_log
SELECT min(n) AS n FROM log
-- @first_note_numbers
SELECT min(n) AS n FROM notes
