import { isOwned } from '../../core/phase.ts';
import { OWNED_MAX, type OwnedJob } from '../owned.ts';
import type { Tables } from './tables.ts';

export function ownedJobs(
  tables: Tables,
  owners: readonly string[],
  tenant: string | null,
): OwnedJob[] {
  const owned = tables.jobs
    .values()
    .map(({ job }) => job)
    .filter((job) => isOwned(job.phase) && (tenant === null || job.tenant === tenant))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return [...new Set(owners)].flatMap((owner) =>
    owned
      .filter((job) => job.owner === owner)
      .slice(0, OWNED_MAX)
      .map((job) => ({ owner, tenant: job.tenant, id: job.id })),
  );
}
