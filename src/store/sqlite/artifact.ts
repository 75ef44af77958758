import { INPUT_VALUE } from '../../artifact/value-name.ts';
import { rankOf } from '../../core/phase.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRef,
  ArtifactRemoval,
  CommitOutcome,
} from '../artifact.ts';
import { bytesToFind, bytesToStore, type Row, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const HOLDS = `SELECT 1 FROM jobs
  WHERE tenant_id = ? AND id = ? AND epoch = ? AND lease_owner = ? AND lease_expiry > ?`;
const USED = 'SELECT bytes FROM artifact_usage WHERE tenant_id = ?';
const OF_NAME = `SELECT id, size, location FROM artifacts
  WHERE tenant_id = ? AND job_id = ? AND name = ?`;
const REMOVE = 'DELETE FROM artifacts WHERE tenant_id = ? AND id = ? RETURNING *';
const ADD = `INSERT INTO artifacts (tenant_id, id, job_id, name, size, sha256, content_type,
  location, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** One commit after the other. */
export function commitArtifacts(work: Work, commits: readonly ArtifactCommit[]): CommitOutcome[] {
  return commits.map((commit) => commitOne(work, commit));
}

function commitOne(work: Work, commit: ArtifactCommit): CommitOutcome {
  const { connection, registry, now } = work;
  const { holder, keepMs, tenantBytesMax } = commit;
  if (!isHolder(work, commit)) return { kind: 'lost' };
  const tenantId = registry.makeTenant(commit.tenant);
  const jobId = holder === null ? null : bytesToStore(holder.jobId);
  const before =
    jobId === null ? undefined : connection.sql(OF_NAME).get(tenantId, jobId, commit.name);
  const usedBytes = Number(connection.sql(USED).get(tenantId)?.['bytes'] ?? 0);
  const weight = usedBytes - Number(before?.['size'] ?? 0) + commit.size;
  if (tenantBytesMax !== null && weight > tenantBytesMax) return { kind: 'overQuota', usedBytes };
  if (before !== undefined) connection.sql(REMOVE).all(tenantId, before['id']!);
  connection
    .sql(ADD)
    .run(
      tenantId,
      bytesToStore(commit.id),
      jobId,
      commit.name,
      commit.size,
      commit.sha256,
      commit.contentType,
      commit.location,
      now,
      keepMs === null ? null : now + keepMs,
    );
  const replaced = before === undefined ? null : String(before['location']);
  return { kind: 'committed', at: now, replaced };
}

function isHolder({ connection, registry, now }: Work, commit: ArtifactCommit): boolean {
  const { holder } = commit;
  if (holder === null) return true;
  const tenantId = registry.findTenant(commit.tenant);
  const id = bytesToFind(holder.jobId);
  if (tenantId === null || id === null) return false;
  const row = connection.sql(HOLDS).get(tenantId, id, holder.epoch, holder.owner, now);
  return row !== undefined;
}

export function listArtifacts(work: Work, query: ArtifactQuery): Artifact[] {
  const { connection } = work;
  if ('locations' in query) {
    return connection
      .sql('SELECT * FROM artifacts WHERE location IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(query.locations))
      .map((row) => artifactOfRow(work, row));
  }
  const [column, { tenant, id }] =
    'ref' in query ? ['id', query.ref] : (['job_id', query.job] as const);
  const tenantId = work.registry.findTenant(tenant);
  const bytes = bytesToFind(id);
  if (tenantId === null || bytes === null) return [];
  return connection
    .sql(`SELECT * FROM artifacts WHERE tenant_id = ? AND ${column} = ? ORDER BY name`)
    .all(tenantId, bytes)
    .map((row) => artifactOfRow(work, row));
}

export function removeArtifacts(work: Work, removal: ArtifactRemoval): Artifact[] {
  if ('refs' in removal) return removal.refs.flatMap((ref) => removeOne(work, ref));
  work.connection.sql(ADOPT).run(work.now);
  work.connection.sql(KEEP).run();
  return work.connection
    .sql(REMOVE_STALE)
    .all(work.now, removal.staleMax)
    .map((row) => artifactOfRow(work, row));
}

function removeOne(work: Work, { tenant, id }: ArtifactRef): Artifact[] {
  const tenantId = work.registry.findTenant(tenant);
  const bytes = bytesToFind(id);
  if (tenantId === null || bytes === null) return [];
  const rows = work.connection.sql(REMOVE).all(tenantId, bytes);
  return rows.map((row) => artifactOfRow(work, row));
}

const SUCCEEDED = rankOf('succeeded');

const OPEN = `FROM artifacts a LEFT JOIN jobs j ON j.tenant_id = a.tenant_id AND j.id = a.job_id
  WHERE a.is_kept = 0 AND a.job_id IS NOT NULL`;

/** A value of a job stays as long as the job, or a dead letter of it. */
const IS_VALUE = "a.name LIKE '$%'";
const HAS_LETTER = `EXISTS (SELECT 1 FROM dead_letters d
  WHERE d.tenant_id = a.tenant_id AND d.job_id = coalesce(a.job_id, a.id))`;

const ADOPT = `UPDATE artifacts AS a SET job_id = id, expires_at = NULL
  WHERE expires_at <= ? AND name = '${INPUT_VALUE}' AND (${HAS_LETTER} OR EXISTS (
    SELECT 1 FROM jobs j WHERE j.tenant_id = a.tenant_id AND j.id = a.id))`;

const KEEP = `UPDATE artifacts SET is_kept = 1 WHERE rowid IN (SELECT a.rowid ${OPEN}
  AND (j.phase = ${SUCCEEDED} OR (j.phase > ${SUCCEEDED} AND ${IS_VALUE})))`;

const REMOVE_STALE = `DELETE FROM artifacts WHERE rowid IN (
    SELECT rowid FROM (
      SELECT a.rowid AS rowid ${OPEN} AND CASE WHEN j.seq IS NOT NULL
        THEN j.phase > ${SUCCEEDED} AND NOT ${IS_VALUE}
        ELSE NOT (${IS_VALUE} AND ${HAS_LETTER}) END
      UNION
      SELECT rowid FROM artifacts WHERE expires_at IS NOT NULL AND expires_at <= ?)
    LIMIT ?) RETURNING *`;

function artifactOfRow({ registry }: Work, row: Row): Artifact {
  const jobId = row['job_id'] as Uint8Array | null;
  return {
    tenant: registry.tenantName(row['tenant_id'] as number),
    id: uuidOfBytes(row['id'] as Uint8Array),
    jobId: jobId === null ? null : uuidOfBytes(jobId),
    name: row['name'] as string,
    size: row['size'] as number,
    sha256: row['sha256'] as string,
    contentType: row['content_type'] as string,
    location: row['location'] as string,
    createdAt: row['created_at'] as number,
    expiresAt: row['expires_at'] as number | null,
  };
}
