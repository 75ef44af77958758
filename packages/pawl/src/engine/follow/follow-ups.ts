import type { NewJob } from '../../store/insert.ts';
import type { EngineContext } from '../context.ts';
import { draftJob } from '../draft.ts';
import type { EnqueueRequest } from '../enqueue-request.ts';

/** A job that the platform creates because of an event in the log. */
export interface FollowUp {
  readonly tenant: string;
  /** Its id is derived from the cause, so that a cause that is read again makes no second job. */
  readonly request: EnqueueRequest & { readonly id: string };
}

/**
 * In one transaction, past the watermarks of enqueue: one tenant's full queue must not hold up what
 * follows from the events of others.
 */
export async function enqueueFollowUps(
  context: EngineContext,
  jobs: readonly FollowUp[],
): Promise<readonly NewJob[]> {
  const drafts: NewJob[] = [];
  for (const { tenant, request } of jobs) {
    drafts.push(await draftJob(context, request, { tenant, principal: null }));
  }
  if (drafts.length > 0) await context.store.insert(drafts);
  return drafts;
}
