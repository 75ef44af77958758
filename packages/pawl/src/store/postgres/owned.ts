import { OWNED_MAX, type OwnedJob } from '../owned.ts';
import type { Session } from './session.ts';

export async function ownedJobs(
  session: Session,
  owners: readonly string[],
  tenant: string | null,
): Promise<OwnedJob[]> {
  const { database, names } = session;
  const number = tenant === null ? null : await session.tenantOf(tenant);
  if (tenant !== null && number === null) return [];
  const rows = await database.ask<{ owner: string; tenant: number; id: string }>('owned', [
    [...new Set(owners)],
    number,
    OWNED_MAX,
  ]);
  await names.learn(rows);
  return rows.map((row) => ({ ...row, tenant: names.tenantName(row.tenant) }));
}
