import { workerActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { leaseWindowMs } from '../../core/lease.ts';
import { opensEpoch } from '../../core/lifecycle.ts';
import { isOwned } from '../../core/phase.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import { eventOf, keyOf, type Row, type Tables } from './tables.ts';

/** Answers a repeated request with what it won before, else takes jobs lane by lane. */
export function claimJobs(tables: Tables, request: ClaimRequest): ClaimedJob[] {
  const at = tables.clock.now();
  const won = rowsWonBefore(tables, request, at);
  const rows =
    won.length > 0 ? won : chooseRows(tables, request).map((row) => take(tables, request, row));
  return rows.map(({ job }) => ({
    job,
    stages: tables.stages.get(keyOf(job.tenant, job.id)) ?? [],
    at,
  }));
}

function rowsWonBefore(tables: Tables, request: ClaimRequest, now: Instant): Row[] {
  if (request.requestId === null) return [];
  return tables.jobs
    .values()
    .filter(
      ({ job, claimRequest }) =>
        isOwned(job.phase) &&
        (request.tenants === null || request.tenants.includes(job.tenant)) &&
        job.owner === request.owner &&
        claimRequest === request.requestId &&
        now < job.leaseExpiry!,
    );
}

function chooseRows(tables: Tables, request: ClaimRequest): Row[] {
  const lanes = lanesOf(tables, request);
  const chosen: Row[] = [];
  lanes.forEach((lane, index) => {
    const share = Math.ceil((request.max - chosen.length) / (lanes.length - index));
    chosen.push(...lane.splice(0, share));
  });
  for (const lane of lanes) chosen.push(...lane.splice(0, request.max - chosen.length));
  return chosen;
}

/** Each lane in the order of its jobs, and the lanes in the order of their first ones. */
function lanesOf(tables: Tables, { types, tenants, queues }: ClaimRequest): Row[][] {
  const lanes = new Map<string, Row[]>();
  const claimable = tables.jobs
    .values()
    .filter(
      ({ job, isOpen }) =>
        isOpen &&
        types.includes(job.type) &&
        (tenants === null || tenants.includes(job.tenant)) &&
        (queues === null || queues.includes(job.queue)),
    )
    .sort(byUrgency);
  for (const row of claimable) {
    const lane = keyOf(row.job.tenant, row.job.queue, row.job.type);
    lanes.set(lane, lanes.get(lane) ?? []);
    lanes.get(lane)!.push(row);
  }
  return [...lanes.values()];
}

function byUrgency(one: Row, other: Row): number {
  return (
    other.job.priority - one.job.priority ||
    one.job.runAt - other.job.runAt ||
    one.birth - other.birth
  );
}

function take(tables: Tables, request: ClaimRequest, row: Row): Row {
  const { job } = row;
  const now = tables.clock.now();
  const { to, quiet } = tables.claimRowOf(job)!;
  const { lease } = tables.policyOf(job.policy);
  const after = tables.change(row, {
    ...row,
    isOpen: false,
    leaseEnd: now + lease.ttlMs,
    claimRequest: request.requestId,
    job: {
      ...job,
      ...to,
      epoch: opensEpoch(job, to) ? job.epoch + 1 : job.epoch,
      version: quiet ? job.version : job.version + 1,
      attempts: Math.max(job.attempts, 1),
      owner: request.owner,
      leaseExpiry: now + leaseWindowMs(lease),
      startedAt: to.phase === 'executing' ? (job.startedAt ?? now) : job.startedAt,
      updatedAt: now,
    },
  });
  if (!quiet) {
    const actor = workerActor(request.owner);
    tables.log.append(eventOf(after.job, { type: 'job_claimed', at: now, from: job.state, actor }));
  }
  return after;
}
