import { canonicalJson, type Job } from 'pawl/define';
import type { Engine } from 'pawl/plugin';
import { type ExecutionInput, remoteStateOf } from './remote-state.ts';
import type { Claimed, Doubted } from './turn.ts';

const PAGE = 500;
const PAGES_MAX = 50;

interface Found {
  readonly remoteIds: Set<string>;
  isOpen: boolean;
  isEqualOpen: boolean;
}

/** Over all tenants: a remote job is one job's, whoever asked for it. */
export async function claimedOf(engine: Engine, doubted: Doubted): Promise<Claimed> {
  const rows = (await engine.tally(null)).filter(({ type }) => type === doubted.type);
  const found: Found = { remoteIds: new Set(), isOpen: false, isEqualOpen: false };
  for (const tenant of new Set(rows.map((row) => row.tenant))) {
    await lookThrough(engine, { tenant, doubted, found });
  }
  return found;
}

async function lookThrough(
  engine: Engine,
  { tenant, doubted, found }: { tenant: string; doubted: Doubted; found: Found },
): Promise<void> {
  let before: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const from = before === undefined ? {} : { before };
    const { jobs, hasMore } = await engine.jobs({
      tenant,
      type: doubted.type,
      limit: PAGE,
      ...from,
    });
    for (const job of jobs) if (job.id !== doubted.id) note(job, doubted, found);
    if (!hasMore) return;
    before = jobs.at(-1)!.id;
  }
  // Too many to know.
  found.isOpen = true;
  found.isEqualOpen = true;
}

function note(job: Job, { sentAt, inputs }: Doubted, found: Found): void {
  const state = remoteStateOf(job);
  if (state?.step === 'following' && state.remoteId !== '') {
    found.remoteIds.add(state.remoteId);
    return;
  }
  const isPast = job.completedAt !== null && job.completedAt < sentAt;
  if (state === null || state.step === 'idle' || isPast) return;
  found.isOpen = true;
  if (inputsOf(job) === inputs || inputsOf(job) === null) found.isEqualOpen = true;
}

/** Null where they are kept elsewhere. */
function inputsOf({ input }: Job): string | null {
  const { request } = JSON.parse(input) as Partial<ExecutionInput>;
  return request === undefined ? null : canonicalJson(request['inputs'] ?? {});
}
