import type { Instant } from '../../core/clock.ts';
import { invalid } from '../../core/errors.ts';
import { derivedId } from '../../core/ids.ts';
import type { Job } from '../../core/job.ts';
import { isTerminal, PHASES, type Phase } from '../../core/phase.ts';
import { isUuid } from '../../core/uuid.ts';
import type { OperationAction } from '../../records/operations.ts';
import type { EngineContext } from '../context.ts';
import { eachFailure, type FailureQuery } from '../failures.ts';
import { rerunsOf } from '../rerun.ts';

/** A job that a filter finds, and where to go on after it. */
export interface Subject {
  readonly job: Job;
  readonly cursor: string;
  /** There is nothing to do: it was run again before, or is asked to stop already. */
  readonly isDone: boolean;
  /** A job that this very operation has made from it before a crash; null where there is none. */
  readonly made: string | null;
}

const PAGE = 200;
const LIVE: readonly Phase[] = PHASES.filter((phase) => !isTerminal(phase));

interface Asked {
  readonly query: FailureQuery;
  readonly now: Instant;
  readonly cursor?: string | null;
  /** The operation's; left out of a preview. */
  readonly id?: string;
}

/** The id of the job that an operation makes of another: asked again, it makes no second one. */
export function madeId(operation: { id: string; createdAt: Instant }, jobId: string): string {
  return derivedId(operation.createdAt, `operation/${operation.id}/${jobId}`);
}

/** The jobs that were there by `now`, from a cursor on. */
export async function* subjectsOf(
  context: EngineContext,
  action: OperationAction,
  asked: Asked,
): AsyncGenerator<Subject> {
  const { now, cursor = null } = asked;
  const createdTo = Math.min(asked.query.createdTo ?? Infinity, now + 1);
  const query = { ...asked.query, createdTo };
  if (action === 'cancel') {
    yield* liveJobs(context, query, cursor);
    return;
  }
  for await (const { job, cursor: at } of eachFailure(context, query, cursor)) {
    const reruns = await rerunsOf(context, job);
    const ownId = asked.id === undefined ? null : madeId({ id: asked.id, createdAt: now }, job.id);
    const own = reruns.find(({ id }) => id === ownId) ?? null;
    yield { job, cursor: at, isDone: reruns.length > 0 && own === null, made: own?.id ?? null };
  }
}

async function* liveJobs(
  { store }: EngineContext,
  { fingerprint: _fingerprint, ...query }: FailureQuery,
  cursor: string | null,
): AsyncGenerator<Subject> {
  // Nothing is cancelled of what has ended.
  const phases = LIVE.filter((one) => query.phase === undefined || one === query.phase);
  const [from = phases[0], id = ''] = (cursor ?? '').split('.') as [Phase?, string?];
  if (cursor !== null && !isUuid(id)) {
    throw invalid([{ pointer: '/cursor', message: 'must be one of this operation' }]);
  }
  for (const phase of phases.slice(Math.max(0, phases.indexOf(from!)))) {
    let before = phase === from && id !== '' ? id : null;
    for (;;) {
      const page = await store.list({
        ...query,
        phase,
        limit: PAGE,
        ...(before === null ? {} : { before }),
      });
      for (const job of page.jobs) {
        const isDone = job.cancel !== null;
        yield { job, cursor: `${phase}.${job.id}`, isDone, made: null };
      }
      before = page.searchedTo ?? page.jobs.at(-1)?.id ?? null;
      if (!page.hasMore || before === null) break;
    }
  }
}
