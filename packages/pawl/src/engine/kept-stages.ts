import type { JobRef, JsonText } from '../core/job.ts';
import { isSealedText } from '../core/sealed.ts';
import { isUuid } from '../core/uuid.ts';
import type { NewJob } from '../store/insert.ts';
import type { StageResult } from '../store/stage-result.ts';
import { sightOf } from './artifact-sight.ts';
import type { EngineContext } from './context.ts';

/** How stage results are read and become another job's. */
export interface StageCopy {
  /** Null: it cannot be read, and its stage is done again. */
  plain(job: JobRef, stage: StageResult): JsonText | null;
  /** The result as the job is to hold it. */
  own(job: JobRef, stage: { readonly name: string; readonly plain: JsonText }): JsonText;
}

/** Without keys: nobody knows what a sealed result refers to, so its stage is done again. */
export const PLAIN_COPY: StageCopy = {
  plain: (_job, { result }) => {
    const value: unknown = JSON.parse(result);
    return typeof value === 'string' && isSealedText(value) ? null : result;
  },
  own: (_job, { plain }) => plain,
};

const CHECKPOINT = 'checkpoint:';

/**
 * The results of a job's finished stages and effects (`once`) for a job that is to run in its
 * place, except for those that refer to an artifact which that job could not open. The checkpoint
 * of an unfinished stage is no result: that stage begins anew.
 */
export async function keptStages(
  context: EngineContext,
  { from, to, copy }: { from: JobRef; to: JobRef; copy: StageCopy },
): Promise<NonNullable<NewJob['stages']>> {
  const stages = await context.store.stages(from);
  const kept: { name: string; result: JsonText }[] = [];
  for (const stage of stages) {
    const { name } = stage;
    const plain = name.startsWith(CHECKPOINT) ? null : copy.plain(from, stage);
    if (plain === null) continue;
    const ids = artifactsIn(JSON.parse(plain));
    if (!(await areAllOpen(context, from.tenant, ids))) continue;
    kept.push({ name, result: copy.own(to, { name, plain }) });
  }
  return kept;
}

/** The ids of the artifacts in a value: as `artifact` returned them, or as inputs refer to them. */
export function artifactsIn(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  const { $artifact, id, sha256 } = value as Readonly<Record<string, unknown>>;
  if (typeof $artifact === 'string' && isUuid($artifact)) found.add($artifact);
  if (typeof id === 'string' && typeof sha256 === 'string' && isUuid(id)) found.add(id);
  for (const member of Object.values(value)) artifactsIn(member, found);
  return found;
}

/** Whether a job other than the one that made them can open all of them. */
async function areAllOpen(
  context: EngineContext,
  tenant: string,
  ids: ReadonlySet<string>,
): Promise<boolean> {
  for (const id of ids) {
    const artifact = await context.records.artifacts.find({ tenant, id });
    if (artifact === null) return false;
    if (artifact.jobId === null) continue;
    const [job] = await context.store.read([{ tenant, id: artifact.jobId }]);
    const sight = job ? await sightOf(context, job, null) : null;
    if (sight === null || !sight.sees(artifact.name)) return false;
  }
  return true;
}
