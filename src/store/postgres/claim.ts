import { workerActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import type { JsonText } from '../../core/job.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { StageResult } from '../stage-result.ts';
import { JOB_WIDTH, jobOfList, namesIn } from './row-list.ts';
import type { Session } from './session.ts';

const NO_STAGES: readonly StageResult[] = [];

export async function claimJobs(session: Session, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { owner, types, max, queues, requestId, turn = 0 } = request;
  if (max <= 0 || types.length === 0) return [];
  const tenants = request.tenants && (await session.names.findTenants(request.tenants));
  const known = tenants && tenants.filter((id) => id !== null);
  const lists = await session.database.writeForLists(
    'SELECT * FROM pawl.claim_v3($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [owner, workerActor(owner), types, max, known, queues, requestId, turn, session.now()],
  );
  await session.names.learn(lists.map(namesIn));
  return lists.map((list) => {
    const stages = list[JOB_WIDTH] as JsonText | null;
    return {
      job: jobOfList(list, session.names),
      stages: stages === null ? NO_STAGES : stagesOf(stages),
      at: list[JOB_WIDTH + 1] as Instant,
    };
  });
}

function stagesOf(text: JsonText): StageResult[] {
  const entries = JSON.parse(text) as [name: string, result: JsonText, at: number][];
  return entries.map(([name, result, at]) => ({ name, result, at }));
}
