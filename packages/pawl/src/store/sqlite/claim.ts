import { randomInt } from 'node:crypto';
import { claimTypeOf, revisionFor } from '../../core/revision.ts';
import { type ClaimedJob, claimName, type ClaimRequest } from '../claim.ts';
import { shareOut } from '../share.ts';
import { countStart, keysOf } from './admit.ts';
import { type AlikeList, unfolded } from './alike.ts';
import { ALIKE_MIN, AlikeRows, alikeTo, canBeMany } from './alike-rows.ts';
import { advance, type Claimer, stepOf, writeTaken } from './claim-step.ts';
import { lanesWithWork } from './lane.ts';
import { roomFor } from './limits.ts';
import type { Entry, Standing } from './log.ts';
import type { Lane } from './names.ts';
import { keepPosition } from './positions.ts';
import { rowsOf, stagesOf } from './read.ts';
import { C, COLUMNS, FLAG, jobOf, type JobRow } from './row.ts';
import type { Work } from './work.ts';

/** Without the id's bytes, which would be a buffer with a memory of its own for each row. */
const FIRST_OF_LANE = `SELECT ${COLUMNS.join(', ')} FROM job
  WHERE gate = 0 AND live_lane = ? ORDER BY rank_at, live_key LIMIT ?`;

const TOKEN_MAX = 2 ** 48 - 1;

/** What is claimed together: rows one by one, or one row for many that are alike. */
type Part = readonly JobRow[] | AlikeRows;

/** Answers a repeated request with what it won before, else takes jobs lane by lane. */
export function claimJobs(work: Work, request: ClaimRequest): ClaimedJob[] {
  return unfolded(claimList(work, request)) as ClaimedJob[];
}

/** The same, told by its columns where all jobs are alike. */
export function claimList(work: Work, request: ClaimRequest): ClaimedJob[] | AlikeList {
  const { names } = work;
  if (request.types.length === 0 || request.max <= 0) return [];
  const won = wonBefore(work, request);
  const parts = won.length > 0 ? [won] : takeByLanes(work, request);
  const [first, ...more] = parts;
  if (first instanceof AlikeRows && more.length === 0) return first.told(work);
  return parts.flatMap((part) =>
    part instanceof AlikeRows
      ? (unfolded(part.told(work)) as ClaimedJob[])
      : part.map((row) => ({
          job: jobOf(names, row),
          stages:
            (row[C.flags] as number) & FLAG.stages ? stagesOf(work, row[C.key] as number) : [],
          at: work.now,
          token: String(row[C.token]),
          key: String(row[C.key]),
        })),
  );
}

function wonBefore(work: Work, request: ClaimRequest): JobRow[] {
  const name = claimName(request);
  const owner = name === null ? null : work.names.findOwner(request.owner);
  return owner === null ? [] : rowsOf(work, 'claimed_before', owner, name, work.now);
}

function takeByLanes(work: Work, request: ClaimRequest): Part[] {
  const { max, turn = 0 } = request;
  const room = roomFor(work);
  const lanes = lanesWithWork(work, request).filter((lane) => room(lane) !== null);
  if (lanes.length === 0) return [];
  const owner = work.names.makeOwner(request.owner);
  const claimer: Claimer = { request, owner, token: randomInt(1, TOKEN_MAX) };
  const parts: Part[] = [];
  const keys: number[] = [];
  shareOut(lanes, { max, turn }, (lane, count) => {
    const wanted = Math.min(count, room(lane) ?? 0);
    const alike = takeAlike(work, claimer, { lane, count: wanted });
    if (alike !== null) {
      parts.push(alike);
      keys.push(...alike.keys);
    }
    const many = alike?.keys.length ?? 0;
    const rows = many < wanted ? takeRows(work, claimer, { lane, count: wanted - many }) : [];
    if (rows.length > 0) parts.push(rows);
    for (const row of rows) keys.push(row[C.key] as number);
    return many + rows.length;
  });
  const name = claimName(request);
  if (name !== null && keys.length > 0) {
    const list = `[${keys.join(',')}]`;
    work.connection.sql('put_claim').run(owner, name, claimer.token, work.now, list);
  }
  return parts;
}

interface Share {
  readonly lane: Lane;
  readonly count: number;
}

function takeRows(work: Work, claimer: Claimer, { lane, count }: Share): JobRow[] {
  const { request } = claimer;
  const rows = firstOf(work, lane, count);
  for (const group of groupsOf(rows)) take(work, claimer, group);
  if (request.revisions !== undefined) fixRevision(work, request, { lane, rows });
  for (const row of rows) if ((row[C.flags] as number) & FLAG.keys) start(work, row);
  return rows;
}

/**
 * Of those that come next, the ones that are as the first is: most of a long line. They are read
 * by what is their own alone, and told by it. Null where that is not worth a look.
 */
function takeAlike(work: Work, claimer: Claimer, { lane, count }: Share): AlikeRows | null {
  if (count < ALIKE_MIN || claimer.request.revisions !== undefined) return null;
  const [first] = firstOf(work, lane, 1);
  if (first === undefined || !canBeMany(first)) return null;
  const found = alikeTo(work, first, { lane: lane.number, count });
  if (found.keys.length < ALIKE_MIN) return null;
  const step = stepOf(work, claimer, first);
  advance(work, first, step);
  if (!step.quiet) {
    const standing = standingIn(first);
    const standings = found.keys.map((key) => ({ ...standing, key }));
    const entry = entryOf(work, first, { from: step.before, actor: step.actor });
    first[C.claim_n] = work.log.write(entry, standings);
  }
  writeTaken(work, step, { keys: found.keys, n: first[C.claim_n] as number | null });
  return found;
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
function take(work: Work, claimer: Claimer, rows: readonly JobRow[]): void {
  const step = stepOf(work, claimer, rows[0]!);
  for (const row of rows) {
    if (!step.quiet) keepLastClaim(work, row);
    advance(work, row, step);
  }
  const n = step.quiet ? null : tell(work, rows, { from: step.before, actor: step.actor });
  writeTaken(work, step, { keys: rows.map((row) => row[C.key] as number), n });
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
function tell(work: Work, rows: readonly JobRow[], said: { from: number; actor: string }): number {
  const texts = rows.filter((row) => (row[C.flags] as number) & FLAG.details);
  return work.log.write(
    entryOf(work, rows[0]!, said),
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

function entryOf({ now }: Work, row: JobRow, said: { from: number; actor: string }): Entry {
  const [lane, lifecycle] = [row[C.lane] as number, row[C.lifecycle] as number];
  const [to, phase] = [row[C.state] as number, row[C.phase] as number];
  return { at: now, lane, lifecycle, type: 'job_claimed', ...said, to, phase };
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
