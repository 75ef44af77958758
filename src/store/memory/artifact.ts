import type { Instant } from '../../core/clock.ts';
import { INPUT_VALUE, isValueName } from '../../artifact/value-name.ts';
import type { JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRemoval,
  CommitOutcome,
} from '../artifact.ts';
import { StoreError } from '../store-error.ts';
import { deepFreeze, keyOf, type Tables } from './tables.ts';

/** One commit after the other. */
export function commitArtifacts(
  tables: Tables,
  commits: readonly ArtifactCommit[],
): CommitOutcome[] {
  return commits.map((commit) => commitOne(tables, commit));
}

function commitOne(tables: Tables, commit: ArtifactCommit): CommitOutcome {
  const at = tables.clock.now();
  if (!isHolder(tables, commit, at)) return { kind: 'lost' };
  const { holder, keepMs, tenantBytesMax, ...rest } = commit;
  const jobId = holder?.jobId ?? null;
  const before = all(tables).find((one) => isSameName(one, commit));
  const usedBytes = all(tables)
    .filter((one) => one.tenant === commit.tenant)
    .reduce((sum, one) => sum + one.size, 0);
  if (tenantBytesMax !== null && usedBytes - (before?.size ?? 0) + commit.size > tenantBytesMax) {
    return { kind: 'overQuota', usedBytes };
  }
  if (before !== undefined) tables.artifacts.delete(keyOf(before.tenant, before.id));
  refuseTaken(tables, commit);
  const expiresAt = keepMs === null ? null : at + keepMs;
  const artifact: Artifact = { ...rest, jobId, createdAt: at, expiresAt };
  tables.artifacts.set(keyOf(commit.tenant, commit.id), deepFreeze(artifact));
  return { kind: 'committed', at, replaced: before?.location ?? null };
}

function isHolder(tables: Tables, { tenant, holder }: ArtifactCommit, now: Instant): boolean {
  if (holder === null) return true;
  const job = tables.rowOf({ tenant, id: holder.jobId })?.job;
  if (job === undefined || job.owner !== holder.owner || job.epoch !== holder.epoch) return false;
  return now < job.leaseExpiry!;
}

function isSameName(one: Artifact, { tenant, holder, name }: ArtifactCommit): boolean {
  return (
    holder !== null && one.tenant === tenant && one.jobId === holder.jobId && one.name === name
  );
}

function refuseTaken(tables: Tables, { tenant, id, location }: ArtifactCommit): void {
  const isTaken = all(tables).some(
    (one) => (one.tenant === tenant && one.id === id) || one.location === location,
  );
  if (isTaken) throw new StoreError('refused', `the artifact ${id} is there already`);
}

export function listArtifacts(tables: Tables, query: ArtifactQuery): Artifact[] {
  if ('ref' in query) {
    const found = tables.artifacts.get(keyOf(query.ref.tenant, query.ref.id));
    return found === undefined ? [] : [found];
  }
  if ('locations' in query) {
    return all(tables).filter((one) => query.locations.includes(one.location));
  }
  const { tenant, id } = query.job;
  return all(tables)
    .filter((one) => one.tenant === tenant && one.jobId === id)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function removeArtifacts(tables: Tables, removal: ArtifactRemoval): Artifact[] {
  const removed =
    'refs' in removal
      ? removal.refs.flatMap((ref) => listArtifacts(tables, { ref }))
      : adopted(tables)
          .filter((one) => isStale(tables, one))
          .slice(0, removal.staleMax);
  for (const { tenant, id } of removed) tables.artifacts.delete(keyOf(tenant, id));
  return removed;
}

/** All, after values whose time is over have become those of their jobs. */
function adopted(tables: Tables): Artifact[] {
  for (const one of all(tables)) {
    const { tenant, id, name } = one;
    if (name !== INPUT_VALUE || !isOver(tables, one)) continue;
    if (tables.rowOf({ tenant, id }) === undefined && !hasLetter(tables, { tenant, id })) continue;
    tables.artifacts.set(keyOf(tenant, id), deepFreeze({ ...one, jobId: id, expiresAt: null }));
  }
  return all(tables);
}

function isOver({ clock }: Tables, { expiresAt }: Artifact): boolean {
  return expiresAt !== null && clock.now() >= expiresAt;
}

function isStale(tables: Tables, artifact: Artifact): boolean {
  const { tenant, jobId, name } = artifact;
  if (isOver(tables, artifact)) return true;
  if (jobId === null) return false;
  const job = tables.rowOf({ tenant, id: jobId })?.job;
  if (isValueName(name)) return job === undefined && !hasLetter(tables, { tenant, id: jobId });
  return job === undefined || (isTerminal(job.phase) && job.phase !== 'succeeded');
}

function hasLetter(tables: Tables, { tenant, id }: JobRef): boolean {
  return tables.deadLetters.values().some((one) => one.tenant === tenant && one.jobId === id);
}

function all(tables: Tables): Artifact[] {
  return tables.artifacts.values();
}
