import { randomUUID } from 'node:crypto';
import { workerActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { leaseLimit, leaseWindowMs } from '../../core/lease.ts';
import { opensEpoch } from '../../core/lifecycle.ts';
import { isOwned } from '../../core/phase.ts';
import { claimTypeOf, claimTypesOf, revisionAfter, revisionFor } from '../../core/revision.ts';
import { type ClaimedJob, claimName, type ClaimRequest } from '../claim.ts';
import { shareOut } from '../share.ts';
import { byUrgency, countStart } from './admission.ts';
import { eventOf, keyOf, type Row, type Tables } from './tables.ts';
import { isPaused, roomOf } from './dispatch-rule.ts';

/** Answers a repeated request with what it won before, else takes jobs lane by lane. */
export function claimJobs(tables: Tables, request: ClaimRequest): ClaimedJob[] {
  const at = tables.clock.now();
  const won = rowsWonBefore(tables, request, at);
  const rows = won.length > 0 ? won : takeRows(tables, request);
  return rows.map(({ job, token }) => ({
    job,
    stages: tables.stages.get(keyOf(job.tenant, job.id)) ?? [],
    at,
    token: token!,
  }));
}

function rowsWonBefore(tables: Tables, request: ClaimRequest, now: Instant): Row[] {
  const name = claimName(request);
  if (name === null) return [];
  return tables.jobs
    .values()
    .filter(
      ({ job, claimRequest }) =>
        isOwned(job.phase) &&
        job.owner === request.owner &&
        claimRequest === name &&
        now < job.leaseExpiry!,
    );
}

interface Lane {
  readonly tenant: string;
  /** In the order of their ranks. */
  readonly rows: Row[];
}

function takeRows(tables: Tables, request: ClaimRequest): Row[] {
  const { max, turn = 0 } = request;
  const taken: Row[] = [];
  const token = randomUUID();
  shareOut(lanesOf(tables, request), { max, turn }, ({ rows }, count) => {
    const room = rows.length === 0 ? 0 : roomOf(tables, rows[0]!.job);
    const won = rows.splice(0, Math.min(count, room));
    taken.push(...won.map((row) => take(tables, { request, token, row })));
    return won.length;
  });
  return taken;
}

/** Each lane in the order of its jobs, and the lanes in the order of their first ones. */
function lanesOf(tables: Tables, request: ClaimRequest): Lane[] {
  const { tenants, queues } = request;
  const types = claimTypesOf(request.types, request.revisions);
  const lanes = new Map<string, Lane>();
  const claimable = tables.jobs
    .values()
    .filter(
      ({ job, isOpen }) =>
        isOpen &&
        types.includes(claimTypeOf(job)) &&
        (tenants === null || tenants.includes(job.tenant)) &&
        (queues === null || queues.includes(job.queue)) &&
        !isPaused(tables, job),
    )
    .sort(byUrgency);
  for (const row of claimable) {
    const lane = keyOf(row.job.tenant, row.job.queue, claimTypeOf(row.job));
    lanes.set(lane, lanes.get(lane) ?? { tenant: row.job.tenant, rows: [] });
    lanes.get(lane)!.rows.push(row);
  }
  return [...lanes.values()];
}

function take(
  tables: Tables,
  { request, token, row }: { request: ClaimRequest; token: string; row: Row },
): Row {
  const { job } = row;
  const now = tables.clock.now();
  const { to, quiet } = tables.claimRowOf(job)!;
  const { lease, timeoutMs } = tables.policyOf(job.policy);
  const limit = leaseLimit({ claimedAt: now, timeoutMs, deadlineAt: job.deadlineAt });
  const after = tables.change(row, {
    ...row,
    isOpen: false,
    leaseEnd: now + lease.ttlMs,
    leaseLimit: limit,
    claimRequest: claimName(request),
    token,
    job: {
      ...job,
      ...to,
      epoch: opensEpoch(job, to) ? job.epoch + 1 : job.epoch,
      version: quiet ? job.version : job.version + 1,
      attempts: Math.max(job.attempts, 1),
      ...revisionAfter(job, revisionFor(request.revisions, job.type)),
      owner: request.owner,
      leaseExpiry: Math.min(now + leaseWindowMs(lease), limit ?? Infinity),
      startedAt: to.phase === 'executing' ? (job.startedAt ?? now) : job.startedAt,
      updatedAt: now,
    },
  });
  countStart(tables, row);
  if (!quiet) {
    const actor = workerActor(request.owner);
    tables.log.append(eventOf(after.job, { type: 'job_claimed', at: now, from: job.state, actor }));
  }
  return after;
}
