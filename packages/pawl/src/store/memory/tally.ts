import { isOwned, isTerminal } from '../../core/phase.ts';
import { priorityClassOf } from '../../core/rank.ts';
import { byBytes } from '../byte-order.ts';
import {
  isAhead,
  mergeTallies,
  type QueueRange,
  type Tally,
  TALLY_MAX,
  type TallyBounds,
} from '../tally.ts';
import { byUrgency } from './admission.ts';
import { keyOf, type Row, type Tables } from './tables.ts';

export function tallyJobs(
  tables: Tables,
  tenant: string | null,
  { max = TALLY_MAX, queues }: TallyBounds = {},
): Tally[] {
  const all = tables.jobs
    .values()
    .filter(({ job }) => !isTerminal(job.phase) && (tenant === null || job.tenant === tenant));
  const live = queues === undefined ? all : inRange(all, queues);
  const lines = Map.groupBy(live, lineOf);
  return mergeTallies(lines.values().flatMap((line) => counted(line, max)));
}

function inRange(rows: readonly Row[], range: QueueRange): Row[] {
  const names = new Set(rows.map(({ job }) => job.queue).filter((one) => isAhead(one, range)));
  const wanted = new Set([...names].toSorted(byBytes).slice(0, range.limit));
  return rows.filter(({ job }) => wanted.has(job.queue));
}

/** Who may be claimed stands in the line of a lane, who is kept back in one for each phase. */
function lineOf({ job, isOpen }: Row): string {
  const lane = [job.tenant, job.queue, job.type];
  return isOpen ? keyOf('open', ...lane) : keyOf(job.phase, ...lane);
}

function counted(line: Row[], max: number): Tally[] {
  const [{ job, isOpen }] = line as [Row];
  // Whoever is owned is in somebody's hands: of those there are never many.
  const bound = isOwned(job.phase) ? line.length + 1 : max;
  const first = line.toSorted(isOpen ? byUrgency : byDueTime).slice(0, bound);
  const isAtLeast = first.length === bound;
  return first.map(({ job: { tenant, type, queue, state, phase, priority, runAt } }) => {
    const priorityClass = priorityClassOf(priority);
    const place = { tenant, type, queue, state, phase, priorityClass };
    return { ...place, count: 1, isAtLeast, oldestRunAt: runAt };
  });
}

function byDueTime(one: Row, other: Row): number {
  return one.job.runAt - other.job.runAt || one.birth - other.birth;
}
