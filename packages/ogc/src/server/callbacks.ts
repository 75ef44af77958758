import { derivedId, isInternalType, isTerminal, type Job, type JobEvent } from 'pawl/define';
import type { FollowUp, TailItem } from 'pawl/plugin';
import type { Subscriber } from './execute-request.ts';
import { recordIn } from './execution-record.ts';
import type { OgcDependencies } from './dependencies.ts';

/** The type of the jobs that call back, and a queue of their own for those who dawdle. */
export const CALLBACK_TYPE = 'pawl.ogc-callback';
const CALLBACK_QUEUE = 'pawl.ogc-callbacks';

/** What is told of a job, to whom. */
export interface CallbackInput {
  readonly jobId: string;
  readonly news: keyof Subscriber;
  readonly url: string;
}

/** What an event is to a subscriber; null where it is none of its business. */
function newsOf({ phase, to }: JobEvent): keyof Subscriber | null {
  if (phase === 'succeeded') return 'successUri';
  if (isTerminal(phase)) return 'failedUri';
  const hasBegun = (phase === 'executing' || phase === 'waiting') && to !== 'accepted';
  return hasBegun ? 'inProgressUri' : null;
}

/**
 * The durable follower's part: a callback for each piece of news that a subscriber of the job wants
 * to hear. Its id follows from both, so that what comes again, or happens again, is told once.
 */
export async function fanOutCallbacks(
  deps: Pick<OgcDependencies, 'engine' | 'sources'>,
  items: readonly TailItem[],
): Promise<number> {
  const isExecuted = executedTypes(deps);
  const events = await Promise.all(items.map((item) => interesting(isExecuted, item)));
  const told = events.flatMap((one) => one ?? []);
  if (told.length === 0) return 0;
  const ids = [...new Map(told.map((one) => [`${one.event.tenant} ${one.event.jobId}`, one]))];
  const refs = ids.map(([, { event }]) => ({ tenant: event.tenant, id: event.jobId }));
  const found = await deps.engine.find(refs);
  const jobs = new Map(ids.map(([key], index) => [key, found[index] ?? null]));
  const calls: FollowUp[] = [];
  for (const { event, news } of told) {
    const job = jobs.get(`${event.tenant} ${event.jobId}`) ?? null;
    const url = job === null ? undefined : recordIn(job)?.subscriber?.[news];
    if (job !== null && url !== undefined) calls.push(callOf(job, { news, url }));
  }
  return (await deps.engine.enqueueFollowUps(calls)).length;
}

type IsExecuted = (tenant: string, type: string) => Promise<boolean>;

/** Whether jobs of a type may be executions; each type of a tenant is asked for once. */
function executedTypes({ sources }: Pick<OgcDependencies, 'sources'>): IsExecuted {
  const known = new Map<string, Promise<boolean>>();
  const ask = async (tenant: string, type: string): Promise<boolean> => {
    for (const source of sources) if (await source.owns(type, tenant)) return true;
    return false;
  };
  return (tenant, type) => {
    const key = `${tenant} ${type}`;
    const asked = known.get(key) ?? ask(tenant, type);
    known.set(key, asked);
    return asked;
  };
}

async function interesting(
  isExecuted: IsExecuted,
  { event, jobType }: TailItem,
): Promise<{ event: JobEvent; news: keyof Subscriber } | null> {
  const news = event.note === 0 && !isInternalType(jobType) ? newsOf(event) : null;
  if (news === null) return null;
  return (await isExecuted(event.tenant, jobType)) ? { event, news } : null;
}

function callOf(job: Job, { news, url }: Omit<CallbackInput, 'jobId'>): FollowUp {
  const input: CallbackInput = { jobId: job.id, news, url };
  const request = {
    type: CALLBACK_TYPE,
    queue: CALLBACK_QUEUE,
    id: derivedId(job.createdAt, JSON.stringify([job.tenant, job.id, news, url])),
    correlationId: job.correlationId ?? job.id,
    input,
  };
  return { tenant: job.tenant, request };
}
