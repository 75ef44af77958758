import { payloadHash } from '../core/canonical-json.ts';
import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import { type IdempotencyClaim, jobAtBirth } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import { IDEMPOTENCY_WINDOW_MS } from './draft.ts';
import { draftAgain } from './draft-again.ts';
import type { Caller } from './enqueue.ts';
import { answerTo } from './enqueue-answer.ts';
import { keptStages, type StageCopy } from './kept-stages.ts';
import { notFound } from './refusals.ts';

export interface RerunRequest {
  readonly id: string;
  readonly caller: Caller;
  /** Instead of the input of the job that is run again. */
  readonly input?: unknown;
  /** The new job begins with the results of the stages that the other had finished. */
  readonly keep?: StageCopy;
  /** The new job's own id, where the caller had to know it beforehand. */
  readonly newId?: string;
  /** One job for this key within a day. */
  readonly idempotencyKey?: string;
}

/** Runs a job that has ended again, however it ended: a new job, linked by `parentJobId`. */
export async function rerun(
  context: EngineContext,
  request: RerunRequest,
): Promise<{ kind: 'created' | 'replayed'; job: Job }> {
  const { caller, id, input, keep, newId, idempotencyKey: key } = request;
  const ref = { tenant: caller.tenant, id };
  const [parent] = await context.store.read([ref]);
  if (!parent) throw notFound(ref);
  refuseUnfinished(parent);
  const draft = await draftAgain(context, {
    caller,
    parent,
    kind: 'rerun',
    ...(input === undefined ? {} : { input }),
    ...(newId === undefined ? {} : { id: newId }),
    ...(key === undefined ? {} : { idempotency: claimOf(key, request) }),
  });
  const job =
    keep === undefined
      ? draft
      : { ...draft, stages: await keptStages(context, { from: parent, to: draft, copy: keep }) };
  const [outcome] = await context.store.insert([job]);
  if (outcome!.kind === 'created') {
    const made = jobAtBirth(job, outcome!.at);
    context.observer?.enqueued([made]);
    context.wakeSignal.born([made]);
    context.live.born([made]);
    return { kind: 'created', job: made };
  }
  const found = await answerTo(context, { job, outcome: outcome!, isUnseen: false });
  if (found.kind === 'refused') throw found.error;
  return { kind: 'replayed', job: found.job };
}

function claimOf(key: string, { id, input, keep }: RerunRequest): IdempotencyClaim {
  const hash = payloadHash({
    rerun: id,
    ...(input === undefined ? {} : { input }),
    ...(keep === undefined ? {} : { keep: true }),
  });
  return { key, payloadHash: hash, windowMs: IDEMPOTENCY_WINDOW_MS };
}

function refuseUnfinished({ id, state, phase }: Job): void {
  if (isTerminal(phase)) return;
  const message = `job ${id} is still ${state}: only a job that has ended can be run again`;
  throw new PawlError('NOT_FINISHED', message, { details: { state, phase } });
}

const CHILDREN = 50;

/** The jobs by which it was run again or replayed before, the latest first. */
export async function rerunsOf({ store }: EngineContext, { tenant, id }: JobRef): Promise<Job[]> {
  const { jobs } = await store.list({ tenant, parentJobId: id, limit: CHILDREN });
  return jobs.filter(({ parentKind }) => parentKind === 'rerun' || parentKind === 'replay');
}
