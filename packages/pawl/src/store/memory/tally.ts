import { isOwned, isTerminal } from '../../core/phase.ts';
import { priorityClassOf } from '../../core/rank.ts';
import { mergeTallies, type Tally, TALLY_MAX } from '../tally.ts';
import { byUrgency } from './admission.ts';
import { keyOf, type Row, type Tables } from './tables.ts';

export function tallyJobs(tables: Tables, tenant: string | null, max = TALLY_MAX): Tally[] {
  const live = tables.jobs
    .values()
    .filter(({ job }) => !isTerminal(job.phase) && (tenant === null || job.tenant === tenant));
  const lines = Map.groupBy(live, lineOf);
  return mergeTallies(lines.values().flatMap((line) => counted(line, max)));
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
