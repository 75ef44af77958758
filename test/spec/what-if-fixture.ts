// A load with chosen durations, worked off on the real engine in time that is passed in.
import { fixed } from 'pawl/internal/core/retry';
import { SeededRandom } from 'pawl/internal/core/random';
import type { Claim } from 'pawl/internal/engine/claim';
import type { TypeDefinition } from 'pawl/internal/engine/define-type';
import { readStretch } from 'pawl/internal/engine/what-if/read-stretch';
import type { Stretch } from 'pawl/internal/engine/what-if/stretch';
import { openWorld, type OpenStore, TENANT, type World } from '../support/world.ts';

/** A power of two, as is the rate below: so levels of tokens are exact in every store. */
export const TICK_MS = 128;

export interface LoadJob {
  readonly type: string;
  readonly at: number;
  readonly priority?: number;
  readonly queue?: string;
  readonly delayMs?: number;
  readonly limitKey?: string;
  readonly cancelAt?: number;
  /** Of each attempt; all but the last one fail. */
  readonly durations: readonly number[];
}

export interface Load {
  readonly types: Readonly<Record<string, TypeDefinition>>;
  readonly jobs: readonly LoadJob[];
  /** Slots of each worker. */
  readonly workers: readonly number[];
  readonly queueConcurrency?: Readonly<Record<string, number>>;
  readonly ticks: number;
}

interface Running {
  readonly claim: Claim;
  readonly worker: number;
  readonly isLast: boolean;
  readonly endsAt: number;
}

const retry = { maxAttempts: 5, backoff: fixed(4 * TICK_MS) };

/** Types whose limits and retries end at whole ticks. */
export const TYPES = {
  plain: { lifecycle: 'task', retry },
  keyed: {
    lifecycle: 'task',
    retry,
    limits: { runningPerKey: { max: 1, key: 'limitKey' } },
  },
  rated: {
    lifecycle: 'document',
    limits: { rate: { perOrganisation: { max: 2, perMs: 1_024 } } },
  },
} as const satisfies Load['types'];

/** A load of all kinds, the same for one seed. */
export function randomLoad(seed: number, count: number): Load {
  const random = new SeededRandom(seed);
  const ticks = (from: number, to: number): number => (from + random.below(to - from)) * TICK_MS;
  const jobs = Array.from({ length: count }, (): LoadJob => {
    const type = random.pick(['plain', 'plain', 'keyed', 'rated'] as const);
    const at = ticks(0, 60);
    const job = { type, at, durations: [ticks(1, 12)] };
    const chance = random.below(10);
    if (type === 'rated') return { ...job, durations: [ticks(1, 4)] };
    if (chance === 0) return { ...job, durations: [ticks(1, 4), ticks(1, 6)] };
    if (chance === 1) return { ...job, delayMs: ticks(2, 20) };
    if (chance === 2) return { ...job, cancelAt: at + TICK_MS };
    if (chance === 3) return { ...job, priority: 100 };
    if (chance < 6) return { ...job, queue: 'narrow', limitKey: `key-${random.below(2)}` };
    return { ...job, limitKey: `key-${random.below(3)}` };
  });
  return { types: TYPES, jobs, workers: [3], queueConcurrency: { narrow: 1 }, ticks: 400 };
}

/** Works a load off and reads what the log tells of it. */
export async function recordedLoad(
  load: Load,
  store?: OpenStore,
  fromMs: number = 0,
): Promise<Stretch> {
  const world = await openWorld({ types: load.types, ...(store === undefined ? {} : { store }) });
  try {
    const from = world.clock.now() + fromMs;
    await work(world, load);
    const query = { tenant: TENANT, from, to: world.clock.now(), jobsMax: 10_000 };
    return await readStretch(world.context, query);
  } finally {
    await world.close();
  }
}

/** Ends come first, then arrivals, then what is due, then claims: as in a simulation. */
export async function work(world: World, load: Load): Promise<void> {
  await configure(world, load);
  const jobs = load.jobs.toSorted((one, other) => one.at - other.at);
  const known = new Map<string, LoadJob>();
  const ids = new Map<LoadJob, string>();
  let running: Running[] = [];
  for (let tick = 0; tick < load.ticks; tick++) {
    const now = tick * TICK_MS;
    const ended = running.filter(({ endsAt }) => endsAt === now);
    for (const { claim, isLast } of ended) {
      await (isLast ? world.complete(claim) : world.fail(claim, 'transient_system_error'));
    }
    running = running.filter(({ endsAt }) => endsAt !== now);
    for (const job of jobs.filter(({ at }) => at === now)) {
      const { type, at: _at, durations: _durations, cancelAt: _cancelAt, ...options } = job;
      const { id } = await world.enqueue(type, null, options);
      known.set(id, job);
      ids.set(job, id);
    }
    for (const job of jobs.filter(({ cancelAt }) => cancelAt === now)) {
      const id = ids.get(job)!;
      const isWaiting = (await world.job(id)).owner === null;
      if (isWaiting && (await world.stateOf(id)) !== 'succeeded') await world.cancel(id);
    }
    await world.engine.sweepDue();
    for (const [worker, slots] of load.workers.entries()) {
      const free = slots - running.filter((one) => one.worker === worker).length;
      if (free <= 0) continue;
      const types = Object.keys(load.types);
      const claims = await world.engine.claim({ owner: `w${worker}`, types, max: free });
      for (const claim of claims) {
        const { durations } = known.get(claim.job.id)!;
        const attempt = claim.job.attempts - 1;
        const endsAt = now + durations[attempt]!;
        const isLast = attempt === durations.length - 1;
        running.push({ claim, worker, isLast, endsAt });
      }
    }
    world.advance(TICK_MS);
  }
}

async function configure(world: World, load: Load): Promise<void> {
  for (const [queue, concurrency] of Object.entries(load.queueConcurrency ?? {})) {
    const rule = { tenant: TENANT, scope: 'queue', name: queue, actor: 'tester' } as const;
    await world.store.putDispatchRule({ ...rule, concurrency });
  }
}
