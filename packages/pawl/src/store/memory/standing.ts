import type { JobRef } from '../../core/job.ts';
import { isClaimedWhereItWaits } from '../../core/lifecycle.ts';
import { isOwned } from '../../core/phase.ts';
import { claimTypeOf } from '../../core/revision.ts';
import { GATE, keyAt } from '../gate.ts';
import {
  AHEAD_MAX,
  HOLDERS_MAX,
  keyForPeople,
  RECENT_MS,
  type Standing,
  WAITS,
} from '../standing.ts';
import { byUrgency } from './admission.ts';
import { turnsOf } from './control.ts';
import { placeOf, type Row, type Tables } from './tables.ts';

export function standingOf(tables: Tables, ref: JobRef): Standing | null {
  const row = tables.rowOf(ref);
  if (row === undefined) return null;
  const { job } = row;
  const gate = gateOf(tables, row);
  const key = keyAt(gate, row);
  const rows = tables.jobs.values();
  const own = rows.filter((one) => one.job.tenant === job.tenant);
  const owned = own.filter((one) => isOwned(one.job.phase));
  const ended = turnsOf(tables, job, tables.clock.now() - RECENT_MS);
  return {
    job,
    at: tables.clock.now(),
    wait: gate === null ? null : WAITS[gate]!,
    key: key === null ? null : keyForPeople(key, job),
    ahead: Math.min(AHEAD_MAX, lineOf(own, row).filter((one) => byUrgency(one, row) < 0).length),
    holders: gate === GATE.parked ? holdersOf(own, row) : [],
    nextTokenAt: key === null ? null : (tables.rates.get(key)?.nextAt ?? null),
    endedLately: ended.succeeded + ended.failed,
    owned: {
      queue: owned.filter((one) => one.job.queue === job.queue).length,
      type: owned.filter((one) => one.job.type === job.type).length,
    },
  };
}

function gateOf(tables: Tables, { job, isOpen, parkedAt }: Row): number | null {
  if (isOpen) return GATE.open;
  if (parkedAt !== null) return parkedAt;
  if (job.phase === 'ready') return GATE.timed;
  if (job.phase !== 'waiting') return null;
  const isClaimed = isClaimedWhereItWaits(tables.lifecycleOf(job), placeOf(job));
  return isClaimed ? GATE.timed : GATE.requeued;
}

function lineOf(own: readonly Row[], row: Row): Row[] {
  const { queue } = row.job;
  if (row.isOpen) {
    const claimType = claimTypeOf(row.job);
    return own.filter(
      ({ job, isOpen }) => isOpen && job.queue === queue && claimTypeOf(job) === claimType,
    );
  }
  const { parkedAt } = row;
  if (parkedAt === null) return [];
  const key = keyAt(parkedAt, row);
  return own.filter((one) => one.parkedAt === parkedAt && keyAt(parkedAt, one) === key);
}

function holdersOf(own: readonly Row[], { limitKey }: Row): Standing['holders'] {
  return own
    .filter(
      (one) =>
        one.limitKey === limitKey &&
        (one.isOpen || (one.parkedAt ?? 0) > GATE.parked || isOwned(one.job.phase)),
    )
    .sort((one, other) => one.birth - other.birth)
    .slice(0, HOLDERS_MAX)
    .map(({ job }) => ({ id: job.id, owner: job.owner }));
}
