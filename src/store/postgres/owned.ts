import { OWNED_MAX, type OwnedJob } from '../owned.ts';
import type { Session } from './session.ts';

const OWNED = `SELECT o.owner, j.tenant_id, j.id FROM unnest($1::text[]) AS o(owner)
  CROSS JOIN LATERAL (
    SELECT j.tenant_id, j.id FROM pawl.jobs j
    WHERE j.phase IN (2, 3) AND j.lease_owner = o.owner AND ($2::int IS NULL OR j.tenant_id = $2)
    ORDER BY j.id LIMIT ${OWNED_MAX}) j`;

export async function ownedJobs(
  { database, names }: Session,
  owners: readonly string[],
  tenant: string | null,
): Promise<OwnedJob[]> {
  const [tenantId = null] = tenant === null ? [null] : await names.findTenants([tenant]);
  if (tenant !== null && tenantId === null) return [];
  const values = [[...new Set(owners)], tenantId];
  const rows = await database.read<Omit<OwnedJob, 'tenant'> & { tenant_id: number }>(OWNED, values);
  await names.learn(rows);
  return rows.map(({ owner, tenant_id, id }) => ({ owner, tenant: names.tenant(tenant_id), id }));
}
