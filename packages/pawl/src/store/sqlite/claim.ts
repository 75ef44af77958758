import { randomInt } from 'node:crypto';
import { workerActor } from '../../core/actor.ts';
import { leaseLimit, leaseWindowMs } from '../../core/lease.ts';
import { opensEpoch, type Transition } from '../../core/lifecycle.ts';
import { phaseOfRank, rankOf } from '../../core/phase.ts';
import { claimTypeOf, revisionFor } from '../../core/revision.ts';
import { type ClaimedJob, claimName, type ClaimRequest } from '../claim.ts';
import { shareOut } from '../share.ts';
import { StoreError } from '../store-error.ts';
import { countStart, keysOf } from './admit.ts';
import { lanesWithWork } from './lane.ts';
import { roomFor } from './limits.ts';
import type { Standing } from './log.ts';
import { runMany } from './many.ts';
import { type Lane, stateCode } from './names.ts';
import { keepPosition } from './positions.ts';
import { rowsOf, stagesOf } from './read.ts';
import { C, COLUMNS, FLAG, jobOf, type JobRow } from './row.ts';
import type { Work } from './work.ts';

/** Without the id's bytes, which would be a buffer with a memory of its own for each row. */
const FIRST_OF_LANE = `SELECT ${COLUMNS.join(', ')} FROM job
  WHERE gate = 0 AND live_lane = ? ORDER BY rank_at, live_key LIMIT ?`;

const TOKEN_MAX = 2 ** 48 - 1;

/** Who claims: the same for all jobs of a call. */
interface Claimer {
  readonly request: ClaimRequest;
  readonly owner: number;
  readonly token: number;
}

/** Answers a repeated request with what it won before, else takes jobs lane by lane. */
export function claimJobs(work: Work, request: ClaimRequest): ClaimedJob[] {
  const { names, now } = work;
  if (request.types.length === 0 || request.max <= 0) return [];
  const won = wonBefore(work, request);
  const rows = won.length > 0 ? won : takeByLanes(work, request);
  return rows.map((row) => ({
    job: jobOf(names, row),
    stages: (row[C.flags] as number) & FLAG.stages ? stagesOf(work, row[C.key] as number) : [],
    at: now,
    token: String(row[C.token]),
    key: String(row[C.key]),
  }));
}

function wonBefore(work: Work, request: ClaimRequest): JobRow[] {
  const name = claimName(request);
  const owner = name === null ? null : work.names.findOwner(request.owner);
  return owner === null ? [] : rowsOf(work, 'claimed_before', owner, name, work.now);
}

function takeByLanes(work: Work, request: ClaimRequest): JobRow[] {
  const { max, turn = 0 } = request;
  const room = roomFor(work);
  const lanes = lanesWithWork(work, request).filter((lane) => room(lane) !== null);
  if (lanes.length === 0) return [];
  const owner = work.names.makeOwner(request.owner);
  const claimer: Claimer = { request, owner, token: randomInt(1, TOKEN_MAX) };
  const taken: JobRow[] = [];
  shareOut(lanes, { max, turn }, (lane, count) => {
    const rows = firstOf(work, lane, Math.min(count, room(lane) ?? 0));
    for (const group of groupsOf(rows)) take(work, claimer, group);
    if (request.revisions !== undefined) fixRevision(work, request, { lane, rows });
    for (const row of rows) if ((row[C.flags] as number) & FLAG.keys) start(work, row);
    taken.push(...rows);
    return rows.length;
  });
  const name = claimName(request);
  if (name !== null && taken.length > 0) {
    const keys = JSON.stringify(taken.map((row) => row[C.key]));
    work.connection.sql('put_claim').run(owner, name, claimer.token, work.now, keys);
  }
  return taken;
}

function firstOf({ connection }: Work, lane: Lane, count: number): JobRow[] {
  return connection.textLists(FIRST_OF_LANE).all(lane.number, count) as unknown as JobRow[];
}

/** Jobs without a revision get the one that is offered for their type, if any is. */
function fixRevision(
  { connection, names }: Work,
  { revisions }: ClaimRequest,
  { lane, rows }: { lane: Lane; rows: readonly JobRow[] },
): void {
  const offered = revisionFor(revisions, lane.type);
  const fresh = rows.filter((row) => row[C.revision] === null);
  if (offered === null || fresh.length === 0) return;
  const { name: revision, pin: isPinned } = offered;
  const flag = isPinned ? FLAG.pinned : 0;
  const claimType = claimTypeOf({ type: lane.type, revision, isPinned });
  const { number } = names.makeLane(lane, claimType);
  const keys = JSON.stringify(fresh.map((row) => row[C.key]));
  connection.sql('fix_revision').run(keys, revision, number, flag);
  for (const row of fresh) {
    row[C.revision] = revision;
    row[C.flags] = (row[C.flags] as number) | flag;
  }
}

/** Who is owned stands in no line. */
function start(work: Work, row: JobRow): void {
  const keys = keysOf(work, row[C.key] as number);
  work.connection.sql('set_keys').run(keys.key, null, row[C.rank_at]!, 1);
  countStart(work, keys);
}

/** Jobs that are claimed in the same way: of one place and one policy. */
function groupsOf(rows: readonly JobRow[]): Iterable<JobRow[]> {
  const groups = new Map<string, JobRow[]>();
  for (const row of rows) {
    const key = [C.lifecycle, C.state, C.phase, C.policy].map((column) => row[column]).join('/');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups.values();
}

/** Moves the stored rows, and the given ones with them, to where the lifecycle's claim leads. */
function take(work: Work, { request, owner, token }: Claimer, rows: readonly JobRow[]): void {
  const { connection, names, now } = work;
  const first = rows[0]!;
  const { from, to, quiet } = claimOf(work, first);
  const { lease, timeoutMs } = names.policy(first[C.policy] as number);
  const limit = leaseLimit({ claimedAt: now, timeoutMs, deadlineAt: null });
  const expiry = Math.min(now + leaseWindowMs(lease), limit ?? Infinity);
  const [epochs, versions] = [Number(opensEpoch(from, to)), Number(!quiet)];
  const state = stateCode(names.lifecycleOf(first[C.lifecycle] as number), to.state);
  const phase = rankOf(to.phase);
  const before = first[C.state] as number;
  for (const row of rows) {
    if (!quiet) keepLastClaim(work, row);
    row[C.state] = state;
    row[C.phase] = phase;
    row[C.epoch] = (row[C.epoch] as number) + epochs;
    row[C.version] = (row[C.version] as number) + versions;
    row[C.attempts] = Math.max(row[C.attempts] as number, 1);
    row[C.owner] = owner;
    row[C.token] = token;
    row[C.lease_expiry] = Math.min(expiry, (row[C.deadline_at] as number | null) ?? Infinity);
    row[C.updated_at] = now;
    if (to.phase === 'executing') row[C.started_at] ??= now;
  }
  const n = quiet ? null : tell(work, rows, { from: before, actor: workerActor(request.owner) });
  const lasting = [now + lease.ttlMs, limit, now];
  const values = [state, phase, epochs, versions, owner, token, n, expiry, ...lasting];
  runMany(connection, { name: 'take', keys: rows.map((row) => row[C.key] as number), values });
}

function keepLastClaim({ connection }: Work, row: JobRow): void {
  const last = row[C.claim_n] as number | null;
  if (last === null) return;
  const [key, version] = [row[C.key] as number, row[C.version] as number];
  const [more_n, flags] = [row[C.more_n] as string | null, row[C.flags] as number];
  const kept = keepPosition(connection, last, { key, version, claim_n: last, more_n, flags });
  row[C.flags] = kept.flags;
  connection.sql('set_positions').run(key, kept.more_n, kept.flags);
}

/** The entry of jobs as they stand now. */
function tell(
  { log, now }: Work,
  rows: readonly JobRow[],
  { from, actor }: { from: number; actor: string },
): number {
  const first = rows[0]!;
  const texts = rows.filter((row) => (row[C.flags] as number) & FLAG.details);
  return log.write(
    {
      at: now,
      lane: first[C.lane] as number,
      lifecycle: first[C.lifecycle] as number,
      type: 'job_claimed',
      from,
      to: first[C.state] as number,
      phase: first[C.phase] as number,
      actor,
    },
    rows.map(standingIn),
    texts.map((row) => ({
      key: row[C.key] as number,
      stage: row[C.stage] as string | null,
      message: row[C.message] as string | null,
      cause: null,
      payload: null,
    })),
  );
}

export function standingIn(row: JobRow): Standing {
  return {
    key: row[C.key] as number,
    version: row[C.version] as number,
    epoch: row[C.epoch] as number,
    attempts: row[C.attempts] as number,
    retry_count: row[C.retry_count] as number,
    progress: row[C.progress] as number,
  };
}

function claimOf({ names }: Work, row: JobRow): Transition {
  const [lifecycle, state, phase] = [row[C.lifecycle], row[C.state], row[C.phase]] as number[];
  const transition = names.claimRow(lifecycle!, state!, phase!);
  if (transition !== null) return transition;
  const place = `${names.lifecycleOf(lifecycle!).states[state! - 1]}/${phaseOfRank(phase!)}`;
  throw new StoreError(
    'refused',
    `job ${String(row[C.key])} is claimable in ${place}, which has no claim`,
  );
}
