-- Queues and types that do not let everything through, and limiters of starts.

-- @has_limits
SELECT 1 FROM limits LIMIT 1
-- @limit
SELECT * FROM limits WHERE tenant = ? AND scope = ? AND name = ?
-- @limits
SELECT l.* FROM limits l JOIN tenants t ON t.number = l.tenant
WHERE ?1 IS NULL OR l.tenant = ?1 ORDER BY t.name, l.scope, l.name
-- @put_limit
REPLACE INTO limits (tenant, scope, name, is_paused, paused_until, concurrency, throttle,
  high_watermark, low_watermark, is_shedding, reason, actor, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- @drop_limit
DELETE FROM limits WHERE tenant = ? AND scope = ? AND name = ?

-- @rates_from
SELECT key, level, at FROM rate_levels WHERE next_at IS NULL AND key > ? ORDER BY key LIMIT ?
-- @drop_rate
DELETE FROM rate_levels WHERE key = ?
-- Tokens a millisecond, of all policies that there are.
-- @slowest_rates
SELECT min(1.0 * (policy ->> '$.limits.rate.perUser.max')
    / (policy ->> '$.limits.rate.perUser.perMs')) AS user,
  min(1.0 * (policy ->> '$.limits.rate.perOrganisation.max')
    / (policy ->> '$.limits.rate.perOrganisation.perMs')) AS organisation
FROM policies
