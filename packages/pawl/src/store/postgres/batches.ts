import type { InsertOutcome, NewJob } from '../insert.ts';
import type { Move, MoveOutcome } from '../move.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import { StoreError } from '../store-error.ts';
import { applyMoves, keyOfRef } from './apply.ts';
import { applyWith } from './apply-with.ts';
import { Batcher } from './batcher.ts';
import { isLockTimeout } from './failure.ts';
import { insertJobs } from './insert.ts';
import { keysOfJob } from './insert-keys.ts';
import { renewLeases } from './renew.ts';
import type { Sessions } from './sessions.ts';

/** The hot verbs: calls that come while a statement of their kind is under way share the next. */
export interface Batches {
  readonly inserts: Batcher<NewJob, InsertOutcome>;
  readonly moves: Batcher<Move, MoveOutcome>;
  /** Calls with record ops; separate, so that plain moves keep their single statement. */
  readonly movesWith: Batcher<Move, MoveOutcome>;
  readonly renewals: Batcher<Renewal, RenewOutcome>;
}

/** True where one caller's data may have been what the database refused. */
function isSeparable(error: unknown): boolean {
  return error instanceof StoreError && error.outcome === 'refused';
}

export function batchesOn(sessions: Sessions): Batches {
  const shared = { isSeparable, isImpatience: isLockTimeout };
  return {
    inserts: new Batcher({
      ...shared,
      run: (jobs, isPatient) =>
        sessions.with(async (session, isAgain) => {
          if (isAgain) await session.names.prepare(jobs);
          return insertJobs(session, jobs, isPatient);
        }),
      keysOf: keysOfJob,
    }),
    moves: new Batcher({
      ...shared,
      run: (moves, isPatient) => sessions.with((session) => applyMoves(session, moves, isPatient)),
      keysOf: (move) => [keyOfRef(move)],
    }),
    movesWith: new Batcher({
      ...shared,
      run: (moves, isPatient) => sessions.with((session) => applyWith(session, moves, isPatient)),
      keysOf: (move) => [keyOfRef(move)],
    }),
    renewals: new Batcher({
      ...shared,
      run: (renewals, isPatient) =>
        sessions.with((session) => renewLeases(session, renewals, isPatient)),
      keysOf: (renewal) => [keyOfRef(renewal)],
    }),
  };
}
