import type { Job } from '../../core/job.ts';
import { isClaimedWhereItWaits } from '../../core/lifecycle.ts';
import { isOwned } from '../../core/phase.ts';
import { admitKeys, gateStateOf, dueKeys, touchedBy } from './admission.ts';
import { placeOf, type Row, type Tables } from './tables.ts';

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export function letDueIn(tables: Tables, limit: number): { opened: number; waiting: Job[] } {
  const now = tables.clock.now();
  const due = tables.jobs
    .values()
    .filter(
      ({ job, isOpen, parkedAt }) =>
        !isOpen && parkedAt === null && isPending(job) && job.runAt <= now,
    )
    .sort((one, other) => one.job.runAt - other.job.runAt || one.birth - other.birth);
  const closed = due.filter((row) => isClaimedWhereItStands(tables, row)).slice(0, limit);
  for (const row of closed) tables.change(row, { ...row, ...gateStateOf(row, true) });
  const opened = touchedBy(
    tables,
    closed.map(({ job }) => job),
  );
  // Together: at the next gate the first in line comes first, by whichever of them it got there.
  admitKeys(tables, [...opened, ...dueKeys(tables, limit)]);
  const waiting = due.filter((row) => !isClaimedWhereItStands(tables, row)).slice(0, limit);
  return { opened: closed.length, waiting: waiting.map(({ job }) => job) };
}

/** The time until the next delayed job. */
export function untilDue(tables: Tables): number | null {
  const times = tables.jobs
    .values()
    .filter(({ job, isOpen, parkedAt }) => !isOpen && parkedAt === null && isPending(job))
    .map(({ job }) => job.runAt);
  const next = Math.min(...times);
  return next === Infinity ? null : next - tables.clock.now();
}

function isPending(job: Job): boolean {
  return job.phase === 'ready' || job.phase === 'waiting';
}

function isClaimedWhereItStands(tables: Tables, { job }: Row): boolean {
  return job.phase === 'ready' || isClaimedWhereItWaits(tables.lifecycleOf(job), placeOf(job));
}

/** Owned jobs whose deadline has passed, the longest ago first. */
export function expiredJobs(tables: Tables, limit: number): Job[] {
  const now = tables.clock.now();
  return tables.jobs
    .values()
    .map(({ job }) => job)
    .filter((job) => isOwned(job.phase) && now >= job.leaseExpiry!)
    .sort((one, other) => one.leaseExpiry! - other.leaseExpiry!)
    .slice(0, limit);
}
