import { workerActor } from '../../core/actor.ts';
import type { JsonText } from '../../core/job.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { StageResult } from '../stage-result.ts';
import { jobOf, type JobRow } from './row.ts';
import type { Session } from './session.ts';

interface ClaimedRow extends JobRow {
  readonly stages: JsonText | null;
  readonly at: number;
}

export async function claimJobs(session: Session, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { owner, types, max, queues, requestId, turn = 0 } = request;
  if (max <= 0 || types.length === 0) return [];
  const tenants = request.tenants && (await session.names.findTenants(request.tenants));
  const known = tenants && tenants.filter((id) => id !== null);
  const rows = await session.database.write<ClaimedRow>(
    'SELECT * FROM pawl.claim_v2($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [owner, workerActor(owner), types, max, known, queues, requestId, turn, session.now()],
  );
  await session.names.learn(rows);
  return rows.map((row) => ({
    job: jobOf(row, session.names),
    stages: row.stages === null ? [] : stagesOf(row.stages),
    at: row.at,
  }));
}

function stagesOf(text: JsonText): StageResult[] {
  const entries = JSON.parse(text) as [name: string, result: JsonText, at: number][];
  return entries.map(([name, result, at]) => ({ name, result, at }));
}
