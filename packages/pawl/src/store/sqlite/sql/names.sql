-- Numbers for names.

-- @tenant_number
SELECT number FROM tenants WHERE name = ?
-- @tenant_name
SELECT name FROM tenants WHERE number = ?
-- @add_tenant
INSERT INTO tenants (name) VALUES (?)
-- @owner_number
SELECT number FROM owners WHERE name = ?
-- @owner_name
SELECT name FROM owners WHERE number = ?
-- @add_owner
INSERT INTO owners (name) VALUES (?)
-- @lane
SELECT number, tenant, queue, type FROM lanes WHERE number = ?
-- @lanes_of_type
SELECT number, tenant, queue, type FROM lanes WHERE claim_type = ?
-- @lanes_of_tenant
SELECT number, tenant, queue, type FROM lanes WHERE tenant = ?
-- @add_lane
INSERT INTO lanes (tenant, queue, type, claim_type) VALUES (?, ?, ?, ?)
-- @lifecycles
SELECT number, name, version, states, definition FROM lifecycles
-- @lifecycle
SELECT definition FROM lifecycles WHERE name = ? AND version = ?
-- @add_lifecycle
INSERT INTO lifecycles (name, version, definition, states) VALUES (?, ?, ?, ?)
-- @add_move
INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?)
-- @policy
SELECT policy FROM policies WHERE number = ?
-- @policy_number
SELECT number FROM policies WHERE policy = ?
-- @add_policy
INSERT INTO policies (policy) VALUES (?)
-- Who has moved away, or is about to come, does not live here.
-- @tenants
SELECT name FROM tenants WHERE left_for IS NULL AND arriving IS NULL ORDER BY name
-- @meta
SELECT value FROM meta WHERE name = ?
-- @put_meta
INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2
-- @add_meta
INSERT OR IGNORE INTO meta VALUES (?, ?)
