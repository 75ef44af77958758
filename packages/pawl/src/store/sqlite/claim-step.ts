import { workerActor } from '../../core/actor.ts';
import { leaseLimit, leaseWindowMs } from '../../core/lease.ts';
import { opensEpoch, type Place, type Transition } from '../../core/lifecycle.ts';
import { phaseOfRank, rankOf } from '../../core/phase.ts';
import type { ClaimRequest } from '../claim.ts';
import { StoreError } from '../store-error.ts';
import { runMany } from './many.ts';
import { stateCode } from './names.ts';
import { C, type JobRow } from './row.ts';
import type { Work } from './work.ts';

/** Who claims: the same for all jobs of a call. */
export interface Claimer {
  readonly request: ClaimRequest;
  readonly owner: number;
  readonly token: number;
}

/** What a claim does to jobs of one place and one policy. */
export interface ClaimStep {
  readonly before: number;
  readonly state: number;
  readonly place: Place;
  readonly quiet: boolean;
  readonly epochs: number;
  readonly owner: number;
  readonly token: number;
  readonly actor: string;
  readonly expiry: number;
  readonly leaseEnd: number;
  readonly limit: number | null;
}

export function stepOf(work: Work, { request, owner, token }: Claimer, first: JobRow): ClaimStep {
  const { names, now } = work;
  const { from, to, quiet } = claimOf(work, first);
  const { lease, timeoutMs } = names.policy(first[C.policy] as number);
  const limit = leaseLimit({ claimedAt: now, timeoutMs, deadlineAt: null });
  return {
    before: first[C.state] as number,
    state: stateCode(names.lifecycleOf(first[C.lifecycle] as number), to.state),
    place: to,
    quiet,
    epochs: Number(opensEpoch(from, to)),
    owner,
    token,
    actor: workerActor(request.owner),
    expiry: Math.min(now + leaseWindowMs(lease), limit ?? Infinity),
    leaseEnd: now + lease.ttlMs,
    limit,
  };
}

/** Brings a row that was read to where the step leads. */
export function advance({ now }: Work, row: JobRow, step: ClaimStep): void {
  row[C.state] = step.state;
  row[C.phase] = rankOf(step.place.phase);
  row[C.epoch] = (row[C.epoch] as number) + step.epochs;
  row[C.version] = (row[C.version] as number) + Number(!step.quiet);
  row[C.attempts] = Math.max(row[C.attempts] as number, 1);
  row[C.owner] = step.owner;
  row[C.token] = step.token;
  row[C.lease_expiry] = Math.min(step.expiry, (row[C.deadline_at] as number | null) ?? Infinity);
  row[C.updated_at] = now;
  if (step.place.phase === 'executing') row[C.started_at] ??= now;
}

/** Moves the stored rows. */
export function writeTaken(
  { connection, now }: Work,
  step: ClaimStep,
  { keys, n }: { keys: readonly number[]; n: number | null },
): void {
  const { state, place, quiet, epochs, owner, token, expiry, leaseEnd, limit } = step;
  const places = [state, rankOf(place.phase), epochs, Number(!quiet)];
  const values = [...places, owner, token, n, expiry, leaseEnd, limit, now];
  runMany(connection, { name: 'take', keys, values });
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
