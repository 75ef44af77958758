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
import { notFound } from './refusals.ts';

export interface RerunRequest {
  readonly id: string;
  readonly caller: Caller;
  /** Instead of the input of the job that is run again. */
  readonly input?: unknown;
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
  const { caller, id, input, newId, idempotencyKey: key } = request;
  const ref = { tenant: caller.tenant, id };
  const [parent] = await context.store.read([ref]);
  if (!parent) throw notFound(ref);
  refuseUnfinished(parent);
  const job = await draftAgain(context, {
    caller,
    parent,
    kind: 'rerun',
    ...(input === undefined ? {} : { input }),
    ...(newId === undefined ? {} : { id: newId }),
    ...(key === undefined ? {} : { idempotency: claimOf(key, request) }),
  });
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

function claimOf(key: string, { id, input }: RerunRequest): IdempotencyClaim {
  const hash = payloadHash({ rerun: id, ...(input === undefined ? {} : { input }) });
  return { key, payloadHash: hash, windowMs: IDEMPOTENCY_WINDOW_MS };
}

function refuseUnfinished({ id, state, phase }: Job): void {
  if (isTerminal(phase)) return;
  const message = `job ${id} is still ${state}: only a job that has ended can be run again`;
  throw new PawlError('NOT_FINISHED', message, { details: { state, phase } });
}

const CHILDREN = 50;

/** Whether a job was run again or replayed before. */
export async function wasRerun({ store }: EngineContext, { tenant, id }: JobRef): Promise<boolean> {
  const { jobs } = await store.list({ tenant, parentJobId: id, limit: CHILDREN });
  return jobs.some(({ parentKind }) => parentKind === 'rerun' || parentKind === 'replay');
}
