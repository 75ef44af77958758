import type { TypeEntry, TypeRecord } from '../store.ts';
import { putPolicy } from './policy.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

const TYPE_OF = 'SELECT * FROM types WHERE tenant_id = ? AND type = ?';

export function putType(
  work: Work,
  [tenant, type]: [string, string],
  entry: TypeEntry,
): TypeRecord {
  const { connection, registry, now } = work;
  const tenantId = registry.makeTenant(tenant);
  const policy = putPolicy(work, entry.policy);
  const known = connection.sql(TYPE_OF).get(tenantId, type);
  const isSame = known?.['definition'] === entry.definition;
  if (known === undefined) {
    connection
      .sql('INSERT INTO types VALUES (NULL, ?, ?, ?, 1, ?, ?)')
      .run(tenantId, type, policy, entry.definition, now);
  } else if (!isSame || known['policy'] !== policy) {
    connection
      .sql(`UPDATE types SET policy = ?, revision = revision + ?, definition = ?, updated_at = ?
        WHERE tenant_id = ? AND type = ?`)
      .run(policy, isSame ? 0 : 1, entry.definition, now, tenantId, type);
  }
  return typeOfRow(connection.sql(TYPE_OF).get(tenantId, type)!, tenant);
}

export function listTypes({ connection, registry }: Work, tenant: string): TypeRecord[] {
  const tenantId = registry.findTenant(tenant);
  if (tenantId === null) return [];
  const rows = connection.sql('SELECT * FROM types WHERE tenant_id = ? ORDER BY seq').all(tenantId);
  return rows.map((row) => typeOfRow(row, tenant));
}

function typeOfRow(row: Row, tenant: string): TypeRecord {
  return {
    tenant,
    type: String(row['type']),
    policy: Number(row['policy']),
    revision: Number(row['revision']),
    definition: String(row['definition']),
    updatedAt: Number(row['updated_at']),
  };
}
