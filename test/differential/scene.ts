// What the generator knows while it chooses: the oracle's jobs, who claimed what, and the time.
import type { Job, JobRef } from 'pawl/internal/core/job';
import { isOwned } from 'pawl/internal/core/phase';
import type { SeededRandom } from 'pawl/internal/core/random';

export interface Holding {
  readonly ref: JobRef;
  readonly owner: string;
  readonly epoch: number;
}

export interface Scene {
  /** The types of this run: few, so that their jobs come far. */
  readonly types: readonly string[];
  readonly now: number;
  readonly jobs: readonly Job[];
  readonly holdings: readonly Holding[];
  /** Jobs that have a dead letter. */
  readonly letters: readonly JobRef[];
}

export const TENANTS: readonly string[] = ['acme', 'beta'];
export const OWNERS: readonly string[] = ['w1', 'w2', 'w3'];
export const QUEUES: readonly string[] = ['default', 'bulk'];

export function chance(random: SeededRandom, likelihood: number): boolean {
  return random.next() < likelihood;
}

/** Fixed ids, so that the same one is often asked for twice. */
export function fixedId(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

const NOWHERE: JobRef = { tenant: 'acme', id: fixedId(999) };

function refOf({ tenant, id }: JobRef): JobRef {
  return { tenant, id };
}

/** A job, most often one that is still open; now and then one of nobody. */
export function pickRef(random: SeededRandom, { jobs }: Scene): JobRef {
  if (jobs.length === 0 || chance(random, 0.01)) return NOWHERE;
  const open = jobs.filter((job) => job.completedAt === null);
  return refOf(pickByPlace(random, open.length > 0 && chance(random, 0.8) ? open : jobs));
}

/** First a place, then a job that stands there, so that rare places come to their own. */
function pickByPlace(random: SeededRandom, jobs: readonly Job[]): Job {
  const places = Map.groupBy(jobs, (job) => `${job.lifecycle} ${job.state} ${job.phase}`);
  return random.pick(random.pick([...places.values()]));
}

export function pickRefWhere(
  random: SeededRandom,
  scene: Scene,
  wanted: (job: Job) => boolean,
): JobRef {
  const found = scene.jobs.filter(wanted);
  return found.length > 0 && chance(random, 0.7)
    ? refOf(pickByPlace(random, found))
    : pickRef(random, scene);
}

/** Most often a right one; else a former owner's, a stranger's, or one of another epoch. */
export function pickHolding(random: SeededRandom, scene: Scene): Holding {
  const held = scene.jobs.filter((job) => isOwned(job.phase));
  const dice = random.next();
  if (held.length > 0 && dice < 0.85) return holdingOf(pickByPlace(random, held));
  if (scene.holdings.length > 0 && dice < 0.95) return random.pick(scene.holdings);
  const job = held.length > 0 ? random.pick(held) : null;
  if (job === null) return { ref: pickRef(random, scene), owner: random.pick(OWNERS), epoch: 1 };
  if (chance(random, 0.5)) return { ...holdingOf(job), owner: random.pick(OWNERS) };
  return { ...holdingOf(job), epoch: job.epoch + random.pick([-1, 1]) };
}

function holdingOf(job: Job): Holding {
  return { ref: refOf(job), owner: job.owner!, epoch: job.epoch };
}

/** Holdings of different jobs, as the engine asks for. */
export function pickHoldings(random: SeededRandom, scene: Scene): readonly Holding[] {
  const wanted = random.pick([1, 1, 1, 2, 3]);
  const found = new Map<string, Holding>();
  for (let n = 0; n < wanted; n++) {
    const holding = pickHolding(random, scene);
    found.set(`${holding.ref.tenant}/${holding.ref.id}`, holding);
  }
  return [...found.values()];
}

/** The moments at which something changes by time alone. */
function deadlinesOf({ jobs, now }: Scene): readonly number[] {
  const open = jobs.filter((job) => job.completedAt === null);
  const moments = open.flatMap((job) => [
    ...(job.leaseExpiry === null ? [] : [job.leaseExpiry]),
    ...(job.owner === null ? [job.runAt] : []),
  ]);
  return moments.filter((moment) => moment >= now);
}

/** How far the clock goes: odd jumps, and right to, before and after a deadline. */
export function pickJump(random: SeededRandom, scene: Scene): number {
  const deadlines = deadlinesOf(scene);
  if (deadlines.length > 0 && chance(random, 0.4)) {
    const offset = random.pick([-1, 0, 0, 1]);
    return Math.max(0, random.pick(deadlines) + offset - scene.now);
  }
  if (chance(random, 0.02)) return 86_400_000 + random.pick([-1, 0, 1]);
  return random.pick([0, 1, 1, 7, 7, 99, 250, 499, 500, 500, 1_000, 1_001, 7_777, 30_001]);
}
