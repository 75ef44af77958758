import type { SQLOutputValue } from 'node:sqlite';
import { workerActor } from '../../core/actor.ts';
import { leaseLimit, leaseWindowMs } from '../../core/lease.ts';
import { opensEpoch } from '../../core/lifecycle.ts';
import { phaseOfRank, rankOf } from '../../core/phase.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import { shareOut } from '../share.ts';
import { StoreError } from '../store-error.ts';
import { countStart } from './admission.ts';
import { type Lane, lanesWithWork } from './lane.ts';
import { stagesOf } from './query.ts';
import { JOB_COLUMNS, type JobRow, jobOfRow, jobRowOf, RANK_AT } from './row.ts';
import { roomOf } from './valve.ts';
import type { Work } from './work.ts';

const WON_BEFORE = `SELECT ${JOB_COLUMNS} FROM jobs WHERE phase IN (2, 3) AND lease_owner = ?
  AND claim_request = ? AND lease_expiry > ? ORDER BY seq`;

const FIRST_OF_LANE = `SELECT ${JOB_COLUMNS} FROM jobs
  WHERE gate = 0 AND tenant_id = ? AND queue = ? AND type = ?
  ORDER BY ${RANK_AT}, seq LIMIT ?`;

const HAS_VALVES = 'SELECT 1 FROM valves LIMIT 1';

const TAKE = `UPDATE jobs SET state = ?, phase = ?, epoch = ?, version = ?, gate = NULL,
    attempts = ?, notes = ?, lease_owner = ?, lease_expiry = ?, lease_until = ?,
    lease_limit = ?, claim_request = ?, updated_at = ?, started_at = ?
  WHERE seq = ?`;

/** Answers a repeated request with what it won before, else takes jobs lane by lane. */
export function claimJobs(work: Work, request: ClaimRequest): ClaimedJob[] {
  const { registry, now } = work;
  const won = wonBefore(work, request);
  const rows = won.length > 0 ? won : takeByLanes(work, request);
  return rows.map((row) => ({
    job: jobOfRow(registry, row),
    // A job is claimed once an epoch, so nobody can have kept a stage before the first one's claim.
    stages: row.epoch === 1 && won.length === 0 ? [] : stagesOf(work, row.seq),
    at: now,
  }));
}

function wonBefore({ connection, registry, now }: Work, request: ClaimRequest): JobRow[] {
  const { owner, requestId, tenants } = request;
  if (requestId === null) return [];
  const rows = rowsOf(connection.lists(WON_BEFORE).all(owner, requestId, now));
  return rows.filter((row) => tenants?.includes(registry.tenantName(row.tenant_id)) ?? true);
}

function takeByLanes(work: Work, request: ClaimRequest): JobRow[] {
  const { max, turn = 0 } = request;
  const hasValves = work.connection.sql(HAS_VALVES).get() !== undefined;
  const room = (lane: Lane): number | null => (hasValves ? roomOf(work, lane) : Infinity);
  const lanes = lanesWithWork(work, request).filter((lane) => room(lane) !== null);
  const taken: JobRow[] = [];
  shareOut(lanes, { max, turn }, (lane, count) => {
    const rows = firstOf(work, lane, Math.min(count, room(lane) ?? 0));
    for (const row of rows) {
      take(work, request, row);
      countStart(work, row);
    }
    taken.push(...rows);
    return rows.length;
  });
  return taken;
}

function firstOf({ connection }: Work, lane: Lane, count: number): JobRow[] {
  const { tenant, queue, type } = lane;
  return rowsOf(connection.lists(FIRST_OF_LANE).all(tenant, queue, type, count));
}

function rowsOf(lists: unknown): JobRow[] {
  return (lists as SQLOutputValue[][]).map(jobRowOf);
}

/** Moves the stored row, and the given one with it, to where the lifecycle's claim leads. */
function take({ connection, registry, log, now }: Work, request: ClaimRequest, row: JobRow): void {
  const transition = registry.claimRow(row.lifecycle, row.state, row.phase);
  if (transition === null) {
    const place = `${row.state}/${phaseOfRank(row.phase)}`;
    throw new StoreError('refused', `job ${row.seq} is claimable in ${place}, which has no claim`);
  }
  const { from, to, quiet } = transition;
  const { lease, timeoutMs } = registry.policy(row.policy);
  const limit = leaseLimit({ claimedAt: now, timeoutMs, deadlineAt: row.deadline_at });
  row.state = to.state;
  row.phase = rankOf(to.phase);
  if (opensEpoch(from, to)) row.epoch += 1;
  if (!quiet) {
    row.version += 1;
    row.notes = 0;
  }
  row.attempts = Math.max(row.attempts, 1);
  row.lease_owner = request.owner;
  row.lease_expiry = Math.min(now + leaseWindowMs(lease), limit ?? Infinity);
  row.updated_at = now;
  if (to.phase === 'executing') row.started_at ??= now;
  connection
    .sql(TAKE)
    .run(
      row.state,
      row.phase,
      row.epoch,
      row.version,
      row.attempts,
      row.notes,
      row.lease_owner,
      row.lease_expiry,
      now + lease.ttlMs,
      limit,
      request.requestId,
      now,
      row.started_at,
      row.seq,
    );
  if (quiet) return;
  const actor = workerActor(request.owner);
  const fact = { type: 'job_claimed', at: now, from: from.state, actor } as const;
  log.event(row, { ...fact, cause: null, payload: null });
}
