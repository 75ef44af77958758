-- What an ended job said is taken away, wherever it was written down. may_change is said by the
-- caller.

-- @erase_facts
UPDATE facts SET input = 'null', metadata = NULL WHERE key = ?
-- @erase_ended
UPDATE ended SET result = NULL WHERE key = ?
-- @erase_details
UPDATE details SET message = NULL, checkpoint = NULL, input = NULL, error = ?2 WHERE key = ?1
-- @erase_stages
DELETE FROM stages WHERE key = ?
-- @erase_notes
UPDATE notes SET message = NULL, payload = NULL WHERE key = ?
-- @texts_of_job
SELECT n, payload FROM log_texts WHERE key = ?
-- @erase_texts
UPDATE log_texts SET message = NULL, payload = ?3 WHERE key = ?1 AND n = ?2
-- @is_erased
SELECT 1 FROM annotations a JOIN log w ON w.n = a.n WHERE a.key = ? AND w.kind = ?
