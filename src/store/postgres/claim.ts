import { workerActor } from '../../core/actor.ts';
import type { JsonText } from '../../core/job.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { StageResult } from '../stage-result.ts';
import { headOf, headsOf, jobOfBrief, namesInHeads, stagesIn } from './row-brief.ts';
import type { Session } from './session.ts';

const NO_STAGES: readonly StageResult[] = [];

export async function claimJobs(session: Session, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { owner, types, max, queues, requestId, turn = 0 } = request;
  if (max <= 0 || types.length === 0) return [];
  const tenants = request.tenants && (await session.names.findTenants(request.tenants));
  const known = tenants && tenants.filter((id) => id !== null);
  const rows = await session.database.writeForLists(
    'SELECT * FROM pawl.claim_v4($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [owner, workerActor(owner), types, max, known, queues, requestId, turn, session.now()],
  );
  await session.names.learn(namesInHeads(rows));
  const heads = headsOf(rows, session.names);
  return rows.map((row) => {
    const head = headOf(row, heads);
    const stages = stagesIn(row);
    return {
      job: jobOfBrief(row, head),
      stages: stages === null ? NO_STAGES : stagesOf(stages),
      at: head.common[8],
    };
  });
}

function stagesOf(text: JsonText): StageResult[] {
  const entries = JSON.parse(text) as [name: string, result: JsonText, at: number][];
  return entries.map(([name, result, at]) => ({ name, result, at }));
}
