import type { SQLOutputValue } from 'node:sqlite';
import { workerActor } from '../../core/actor.ts';
import { leaseLimit, leaseWindowMs } from '../../core/lease.ts';
import { opensEpoch, type Transition } from '../../core/lifecycle.ts';
import { phaseOfRank, rankOf } from '../../core/phase.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import { shareOut } from '../share.ts';
import { StoreError } from '../store-error.ts';
import { countStart } from './admission.ts';
import { type Lane, lanesWithWork } from './lane.ts';
import { manySql, runMany } from './many.ts';
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

/** A deadline and a limit that is there or not: min() of a null is null. */
const TAKE =
  manySql(`UPDATE jobs SET state = ?, phase = ?, epoch = epoch + ?, version = version + ?,
    notes = notes * ?, gate = NULL, attempts = max(attempts, 1), lease_owner = ?,
    lease_expiry = coalesce(min(?7, deadline_at), ?7), lease_until = ?,
    lease_limit = coalesce(min(?9, deadline_at), ?9, deadline_at), claim_request = ?,
    updated_at = ?11,
    started_at = CASE WHEN ?12 THEN coalesce(started_at, ?11) ELSE started_at END`);

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
    const versions = rows.map(({ version }) => version);
    for (const group of groupsOf(rows)) take(work, request, group);
    for (const [index, row] of rows.entries()) {
      if (row.version > versions[index]!) work.log.tell(row);
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

/** Jobs that are claimed in the same way: of one place and one policy. */
function groupsOf(rows: readonly JobRow[]): Iterable<JobRow[]> {
  const groups = new Map<string, JobRow[]>();
  for (const row of rows) {
    const key = `${row.lifecycle}/${row.phase}/${row.policy}/${row.state}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups.values();
}

/** Moves the stored rows, and the given ones with them, to where the lifecycle's claim leads. */
function take(work: Work, request: ClaimRequest, rows: readonly JobRow[]): void {
  const { connection, log, now } = work;
  const { from, to, quiet } = claimOf(work, rows[0]!);
  const { lease, timeoutMs } = work.registry.policy(rows[0]!.policy);
  const limit = leaseLimit({ claimedAt: now, timeoutMs, deadlineAt: null });
  const expiry = Math.min(now + leaseWindowMs(lease), limit ?? Infinity);
  const [epochs, versions] = [Number(opensEpoch(from, to)), Number(!quiet)];
  const { owner, requestId } = request;
  const isStart = to.phase === 'executing';
  const values = [
    to.state,
    rankOf(to.phase),
    epochs,
    versions,
    1 - versions,
    owner,
    expiry,
    now + lease.ttlMs,
    limit,
    requestId,
    now,
    Number(isStart),
  ];
  runMany(connection, TAKE, { values, rows });
  for (const row of rows) {
    row.state = to.state;
    row.phase = rankOf(to.phase);
    row.epoch += epochs;
    row.version += versions;
    row.notes *= 1 - versions;
    row.attempts = Math.max(row.attempts, 1);
    row.lease_owner = owner;
    row.lease_expiry = Math.min(expiry, row.deadline_at ?? Infinity);
    row.updated_at = now;
    if (isStart) row.started_at ??= now;
  }
  if (!quiet)
    log.writeMany(rows, { type: 'job_claimed', from: from.state, actor: workerActor(owner) });
}

function claimOf({ registry }: Work, { seq, lifecycle, state, phase }: JobRow): Transition {
  const transition = registry.claimRow(lifecycle, state, phase);
  if (transition !== null) return transition;
  const place = `${state}/${phaseOfRank(phase)}`;
  throw new StoreError('refused', `job ${seq} is claimable in ${place}, which has no claim`);
}
