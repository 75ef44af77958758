import type { Instant } from '../../core/clock.ts';
import { markOp } from '../../records/flows.ts';
import { NOTHING_PURGED, type Purged } from '../../store/retention.ts';
import type { EngineContext } from '../context.ts';
import { cutsAt, type RetentionPolicy, retentionPolicy } from '../retention/policy.ts';

/** Small slices, since whoever writes meanwhile waits for one; and as many as a busy day needs. */
const SLICE = 200;
const SLICES_MAX = 50;
const EVERY_MS = 60_000;

/**
 * Takes away what the policy no longer keeps, in small slices, so that nobody waits for it: so many
 * and no more, whatever is left. Safe in any number of processes.
 */
export async function sweepRetention(
  { store, records }: EngineContext,
  policy: RetentionPolicy,
): Promise<Swept> {
  const { fires: fireCut, deadLetters: letterCut, ...cuts } = cutsAt(policy, await store.now());
  let total: Swept = { ...NOTHING_PURGED, fires: 0, deadLetters: 0 };
  for (let slice = 0; slice < SLICES_MAX; slice++) {
    const purged = await store.purge({ ...cuts, limit: SLICE });
    const fires = fireCut === null ? 0 : await records.schedules.purgeFires(fireCut, SLICE);
    const deadLetters = letterCut === null ? 0 : await records.deadLetters.purge(letterCut, SLICE);
    const hasMore = purged.hasMore || fires === SLICE || deadLetters === SLICE;
    total = sum(total, { ...purged, fires, deadLetters, hasMore });
    if (!total.hasMore) break;
  }
  if (cuts.jobs !== null) {
    await forgetFlows({ store, records }, cuts.jobs);
    await records.jobShares.forget(cuts.jobs, SLICE, (refs) => store.read(refs));
  }
  await records.workers.forget(SLICE);
  await records.workers.versions.purge(SLICE);
  await records.history.purge(SLICE * SLICES_MAX);
  await records.operations.purge(SLICE);
  return total;
}

/** What is kept for jobs that waited goes once they are gone; until then they are asked again. */
async function forgetFlows(
  { store, records }: Pick<EngineContext, 'store' | 'records'>,
  cut: Instant,
): Promise<void> {
  const marked = await records.flows.dueMarks(cut, SLICE);
  const jobs = marked.length === 0 ? [] : await store.read(marked);
  for (const [index, ref] of marked.entries()) {
    if (jobs[index]) await records.flows.write([markOp(ref)]);
    else await records.flows.remove(ref);
  }
}

/** How many went of each kind, records included. */
export interface Swept extends Purged {
  readonly fires: number;
  readonly deadLetters: number;
}

function sum(one: Swept, other: Swept): Swept {
  return {
    jobs: one.jobs + other.jobs,
    notes: one.notes + other.notes,
    feed: one.feed + other.feed,
    keys: one.keys + other.keys,
    fires: one.fires + other.fires,
    deadLetters: one.deadLetters + other.deadLetters,
    days: one.days + other.days,
    hasMore: other.hasMore,
  };
}

/** Retention at the pace of its own: once a minute, and at once again while there is more. */
export class RetentionSweep {
  readonly #context: EngineContext;
  readonly #policy: RetentionPolicy;
  #nextAt: Instant | null = null;

  constructor(context: EngineContext, policy: Partial<RetentionPolicy> = {}) {
    this.#context = context;
    this.#policy = retentionPolicy(policy);
  }

  runOnce(): Promise<Swept> {
    return sweepRetention(this.#context, this.#policy);
  }

  /** Null: not yet. What failed is tried again at its next time. */
  async runWhenDue(now: Instant): Promise<Swept | null> {
    this.#nextAt ??= now + EVERY_MS;
    if (now < this.#nextAt) return null;
    this.#nextAt = now + EVERY_MS;
    const purged = await this.runOnce();
    if (purged.hasMore) this.#nextAt = now;
    return purged;
  }
}
