import { OWNED_MAX, type OwnedJob } from '../owned.ts';
import { uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const OWNED = `SELECT id, tenant_id FROM jobs INDEXED BY jobs_owned
  WHERE phase IN (2, 3) AND lease_owner = ?1 AND (?2 IS NULL OR tenant_id = ?2)
  ORDER BY id LIMIT ${OWNED_MAX}`;

export function ownedJobs(
  { connection, registry }: Work,
  owners: readonly string[],
  tenant: string | null,
): OwnedJob[] {
  const tenantId = tenant === null ? null : registry.findTenant(tenant);
  if (tenant !== null && tenantId === null) return [];
  return [...new Set(owners)].flatMap((owner) =>
    connection
      .sql(OWNED)
      .all(owner, tenantId)
      .map((row) => ({
        owner,
        tenant: registry.tenantName(row['tenant_id'] as number),
        id: uuidOfBytes(row['id'] as Uint8Array),
      })),
  );
}
