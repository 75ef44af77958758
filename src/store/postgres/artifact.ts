import { isUuid } from '../../core/ids.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRemoval,
  CommitOutcome,
} from '../artifact.ts';
import type { Session } from './session.ts';
import { toMs } from './sql-text.ts';

interface OutcomeRow {
  readonly kind: CommitOutcome['kind'];
  readonly at: number;
  readonly replaced: string | null;
  readonly used: number;
}

/** One commit after the other, in one transaction. */
export async function commitArtifacts(
  session: Session,
  commits: readonly ArtifactCommit[],
): Promise<CommitOutcome[]> {
  await session.names.addTenants(commits.map(({ tenant }) => tenant));
  const now = session.now();
  return session.database.transact(async (query) => {
    const outcomes: CommitOutcome[] = [];
    for (const commit of commits) {
      const wire = JSON.stringify(wireOf(session, commit));
      const sql = 'SELECT * FROM pawl.commit_artifact_v1($1, $2)';
      const [row] = await query<OutcomeRow>(sql, [wire, now]);
      outcomes.push(outcomeOf(row!));
    }
    return outcomes;
  });
}

function wireOf({ names }: Session, commit: ArtifactCommit): Record<string, unknown> {
  const { holder } = commit;
  return {
    tenant: names.tenantId(commit.tenant),
    id: commit.id,
    job: holder?.jobId ?? null,
    owner: holder?.owner ?? null,
    epoch: holder?.epoch ?? null,
    name: commit.name,
    size: commit.size,
    sha256: commit.sha256,
    content_type: commit.contentType,
    location: commit.location,
    keep_ms: commit.keepMs,
    bytes_max: commit.tenantBytesMax,
  };
}

function outcomeOf({ kind, at, replaced, used }: OutcomeRow): CommitOutcome {
  switch (kind) {
    case 'committed':
      return { kind, at, replaced };
    case 'overQuota':
      return { kind, usedBytes: used };
    case 'lost':
      return { kind };
  }
}

interface ArtifactRow {
  readonly tenant_id: number;
  readonly id: string;
  readonly job_id: string | null;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly content_type: string;
  readonly location: string;
  readonly created_at: number;
  readonly expires_at: number | null;
}

const COLUMNS = `a.tenant_id, a.id, a.job_id, a.name, a.size, a.sha256, a.content_type, a.location,
  ${toMs('a.created_at')} AS created_at, ${toMs('a.expires_at')} AS expires_at`;

export async function listArtifacts(session: Session, query: ArtifactQuery): Promise<Artifact[]> {
  const select = (where: string): string =>
    `SELECT ${COLUMNS} FROM pawl.artifacts a WHERE ${where} ORDER BY a.name COLLATE "C"`;
  if ('locations' in query) {
    const sql = select('a.location = ANY ($1)');
    return artifactsOf(session, await session.database.read<ArtifactRow>(sql, [query.locations]));
  }
  const { tenant, id } = 'ref' in query ? query.ref : query.job;
  const [tenantId] = await session.names.findTenants([tenant]);
  if (tenantId === null || !isUuid(id)) return [];
  const column = 'ref' in query ? 'a.id' : 'a.job_id';
  const sql = select(`a.tenant_id = $1 AND ${column} = $2`);
  const rows = await session.database.readFor<ArtifactRow>(tenantId, sql, [tenantId, id]);
  return artifactsOf(session, rows);
}

export async function removeArtifacts(
  session: Session,
  removal: ArtifactRemoval,
): Promise<Artifact[]> {
  if ('staleMax' in removal) {
    const sql = `SELECT ${COLUMNS} FROM pawl.remove_stale_artifacts_v1($1, $2) a`;
    const values = [removal.staleMax, session.now()];
    return artifactsOf(session, await session.database.write<ArtifactRow>(sql, values));
  }
  const tenants = await session.names.findTenants(removal.refs.map(({ tenant }) => tenant));
  const ids = removal.refs.map(({ id }) => (isUuid(id) ? id : null));
  const rows = await session.database.write<ArtifactRow>(
    `DELETE FROM pawl.artifacts a USING unnest($1::int[], $2::uuid[]) AS x(tenant_id, id)
     WHERE a.tenant_id = x.tenant_id AND a.id = x.id RETURNING ${COLUMNS}`,
    [tenants, ids],
  );
  return artifactsOf(session, rows);
}

async function artifactsOf(session: Session, rows: readonly ArtifactRow[]): Promise<Artifact[]> {
  await session.names.learn(rows);
  return rows.map((row) => ({
    tenant: session.names.tenant(row.tenant_id),
    id: row.id,
    jobId: row.job_id,
    name: row.name,
    size: row.size,
    sha256: row.sha256,
    contentType: row.content_type,
    location: row.location,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}
