// What must hold of a parent and its children at every moment, said without the checker's help.
import type { JobEvent } from 'pawl/internal/core/event';
import type { Job } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import { suspensionOf } from 'pawl/internal/engine/flows/look';
import type { Ground } from '../ground.ts';

export interface Moment {
  readonly parent: Job;
  readonly children: readonly Job[];
  readonly jobs: readonly Job[];
  readonly events: readonly JobEvent[];
  /** What who follows the log has not read. */
  readonly unread: readonly JobEvent[];
}

/** Entries that say something to who follows the log for the sake of waits. */
function matters({ type, phase }: JobEvent): boolean {
  return type === 'job_suspended' || type === 'job_message' || isTerminal(phase);
}

export async function unreadOf({ store, context }: Ground): Promise<JobEvent[]> {
  const flows = (await context.records.followers.list()).find(({ name }) => name === 'flows');
  const position = flows?.position ?? null;
  const from = position === null ? 'start' : { cursor: position };
  const { items } = await store.tail({ tenant: null, from, limit: 10_000 });
  return items.map(({ event }) => event).filter(matters);
}

export async function brokenFlowLaws(
  { context }: Ground,
  before: Moment | null,
  after: Moment,
): Promise<readonly string[]> {
  const { parent, children, unread } = after;
  const problems: string[] = [];
  if (before !== null) {
    for (const law of [endsAreFinal, notTooEarly, noneAfterCancel]) {
      problems.push(...law(before, after));
    }
  }
  if (unread.length > 0) return problems;
  const isAsleep = (await suspensionOf(context, parent)) !== null;
  const hasEnded = children.length === 2 && children.every(({ phase }) => isTerminal(phase));
  const isDue = parent.runAt <= (await context.store.now());
  if (isAsleep && hasEnded && !isDue) {
    problems.push('F1 everything has ended and been read, and the parent is asleep');
  }
  const left = children.filter(({ phase, cancel }) => !isTerminal(phase) && cancel === null);
  if (isTerminal(parent.phase) && left.length > 0) {
    problems.push(`F2 the parent ended as ${parent.state}, and ${left.length} children go on`);
  }
  return problems;
}

function endsAreFinal(before: Moment, after: Moment): string[] {
  return before.jobs.flatMap((job) => {
    const now = after.jobs.find(({ id }) => id === job.id);
    if (!isTerminal(job.phase)) return [];
    if (JSON.stringify(now) === JSON.stringify(job)) return [];
    return [`F3 a job that had ended in ${job.state} was changed`];
  });
}

/** A cancel sees every child, or the spawn is refused. */
function noneAfterCancel(before: Moment, after: Moment): string[] {
  const isAsked = before.parent.cancel !== null || isTerminal(before.parent.phase);
  const count = after.children.length - before.children.length;
  return isAsked && count > 0 ? [`F5 ${count} children were born after the cancel`] : [];
}

/** Nobody is woken while a child is open. */
function notTooEarly(before: Moment, after: Moment): string[] {
  const wakes = ({ events }: Moment): number =>
    events.filter(({ type }) => type === 'job_woken').length;
  if (wakes(after) === wakes(before)) return [];
  const open = after.children.filter(({ phase }) => !isTerminal(phase));
  return open.length === 0 ? [] : [`F4 the parent was woken while ${open.length} were open`];
}
