import { noReturn, oneEnding } from './endings.ts';
import { epochs } from './epochs.ts';
import { foldAgrees } from './fold-agrees.ts';
import { oneJobPerKey } from './idempotency.ts';
import type { JobInvariant, SetInvariant } from './invariant.ts';
import { noLateWrites } from './late-writes.ts';
import { leases } from './leases.ts';
import { ledger } from './ledger.ts';
import { birth, listedMoves } from './moves.ts';
import { progress } from './progress.ts';
import { retries } from './retries.ts';
import { noWishAtEnd, ownership, success } from './stored-row.ts';
import { nothingLost, nothingUnasked } from './submissions.ts';
import { tokens } from './tokens.ts';
import { oneWake } from './waits.ts';

/** Job by job: I of the reliability plan, L of the log alone, S of the row alone, W of waits. */
export const JOB_INVARIANTS: readonly JobInvariant[] = [
  epochs,
  tokens,
  oneEnding,
  leases,
  foldAgrees,
  progress,
  noReturn,
  retries,
  ledger,
  listedMoves,
  birth,
  noLateWrites,
  ownership,
  noWishAtEnd,
  success,
  oneWake,
];

/** Checked over all jobs of a run, against what its clients saw. */
export const SET_INVARIANTS: readonly SetInvariant[] = [nothingLost, nothingUnasked, oneJobPerKey];
