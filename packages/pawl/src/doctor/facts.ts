import type { Clock, Instant } from '../core/clock.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { Registry } from '../engine/registry.ts';
import { followersOf, type FollowerView } from '../engine/follow/standing.ts';
import { DEAD_LETTER } from '../records/dead-letters.ts';
import type { StoreHealth } from '../store/health.ts';
import type { Records } from '../records/records.ts';
import type { FailedType, StoreFigures, Vitals } from '../store/maintenance.ts';
import type { Store } from '../store/store.ts';
import type { Tally } from '../store/tally.ts';
import type { DispatchRule } from '../store/dispatch-rule.ts';
import type { WorkerRecord } from '../records/workers.ts';

/** What the doctor examines: the database, and the lifecycles that this process knows. */
export interface DoctorDependencies {
  readonly store: Store;
  readonly records: Pick<Records, 'deadLetters' | 'followers' | 'workers'>;
  readonly registry: Pick<Registry, 'lifecycles'>;
  readonly clock: Clock;
}

/** Everything that checks look at, read once. */
export interface Facts {
  /** The database's time, and this process's at the same moment. */
  readonly now: Instant;
  readonly ownNow: Instant;
  readonly figures: StoreFigures;
  readonly vitals: Vitals;
  /** Those that were not replayed, by type. */
  readonly deadLetters: readonly { readonly type: string; readonly count: number }[];
  readonly tallies: readonly Tally[];
  readonly rules: readonly DispatchRule[];
  readonly workers: readonly WorkerRecord[];
  readonly followers: readonly FollowerView[];
  /** Some jobs whose lease is over and that nobody has taken back. */
  readonly expired: readonly Job[];
  readonly strays: readonly JobRef[];
  /** Jobs that ended badly without a dead letter and were not run again: the first of them. */
  readonly failed: readonly FailedType[];
  readonly broken: readonly string[];
  readonly health: StoreHealth;
}

const SAMPLE = 20;
/** So many are counted; there may be more. */
export const FAILED_MAX = 10_000;

export async function gatherFacts(deps: DoctorDependencies): Promise<Facts> {
  const { store, records, clock } = deps;
  const before = clock.now();
  const now = await store.now();
  // The answer was made somewhere between asking and hearing.
  const ownNow = (before + clock.now()) / 2;
  return {
    now,
    ownNow,
    figures: await store.maintenance.figures(),
    vitals: await store.maintenance.vitals(),
    deadLetters: await records.deadLetters.countOpen(),
    tallies: await store.tally(null),
    rules: await store.rules(null),
    workers: await records.workers.list(null),
    followers: await followersOf(deps),
    expired: await store.expired(SAMPLE),
    strays: await store.maintenance.strays(SAMPLE),
    failed: await store.maintenance.failedTypes(FAILED_MAX, DEAD_LETTER),
    broken: await store.maintenance.quickCheck(),
    health: await store.maintenance.health(),
  };
}
