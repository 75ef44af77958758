import { SPAWN_MAX } from 'pawl/internal/core/flow';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import type { Claim } from 'pawl/internal/engine/claim';
import { Engine } from 'pawl/internal/engine/engine';
import { FlowFollower } from 'pawl/internal/engine/flows/flow-follower';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Store } from 'pawl/internal/store/store';

export interface DrainOptions {
  readonly jobs: number;
  readonly hasParent: boolean;
  /** So many other jobs wait for a message meanwhile. */
  readonly waiting: number;
  /** The processor time that was used up to now, the database's included. */
  readonly cpuMs: () => Promise<number>;
}

export interface Drained {
  /** Jobs a second. */
  readonly spawn: number;
  /** Jobs a second, from the first claim to the last end. */
  readonly drain: number;
  /** Of all processes while they drain, in microseconds a job. */
  readonly cpu: number;
  /** From the last end of a child to the end of its parent, in milliseconds. */
  readonly wakeMs: number;
}

const TENANT = 'acme';
const CALLER = { caller: { tenant: TENANT, principal: null } };
const BATCH = 500;
/** Children have their parent's correlation id: the same jobs without a parent have one too. */
const BATCH_NAME = '01890000-0000-7000-8000-000000000001';
const WAIT = { name: 'parts', kind: 'children' } as const;

/** Jobs of one parent or of none, drained on a store of their own while the log is followed. */
export async function measureDrain(store: Store, options: DrainOptions): Promise<Drained> {
  const context = openContext({
    store,
    lifecycles: builtInLifecycles,
    random: systemRandom,
    ids: systemIds(systemClock),
  });
  const drain = new Drain(new Engine(context), options);
  const follower = new FlowFollower(context, { timers: systemTimers });
  await drain.prepare();
  await follower.runOnce();
  follower.start();
  try {
    return await drain.run();
  } finally {
    await follower.stop();
  }
}

class Drain {
  readonly #engine: Engine;
  readonly #options: DrainOptions;
  readonly #inputs: readonly string[];

  constructor(engine: Engine, options: DrainOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#inputs = Array.from({ length: options.jobs }, (_, index) => `k${index}`);
  }

  async prepare(): Promise<void> {
    const engine = this.#engine;
    const lease = { ttlMs: 600_000, heartbeatMs: 300_000 };
    for (const type of ['parent', 'part', 'other']) {
      await engine.putType({ tenant: TENANT, type }, { lifecycle: 'task', lease });
    }
    const { waiting } = this.#options;
    if (waiting === 0) return;
    await engine.enqueue(
      Array.from({ length: waiting }, () => ({ type: 'other' })),
      CALLER,
    );
    for (let left = waiting; left > 0;) {
      const claims = await engine.claim({ owner: 'w0', types: ['other'], max: BATCH });
      left -= claims.length;
      const wait = { name: 'news', kind: 'message', message: 'news' } as const;
      for (const claim of claims) await engine.flows.decide(held(claim), [wait]);
      const ending = { kind: 'suspend', waits: ['news'] } as const;
      await engine.settle(claims.map((one) => ({ ...held(one), ending })));
    }
  }

  async run(): Promise<Drained> {
    const begunAt = performance.now();
    const { hasParent, jobs, cpuMs } = this.#options;
    await (hasParent ? this.#spawn() : this.#enqueue());
    const usedBefore = await cpuMs();
    const spawnedAt = performance.now();
    await this.#drain();
    const drainedAt = performance.now();
    const used = (await cpuMs()) - usedBefore;
    if (hasParent) await this.#endParent();
    return {
      spawn: jobs / ((spawnedAt - begunAt) / 1_000),
      drain: jobs / ((drainedAt - spawnedAt) / 1_000),
      cpu: (used * 1_000) / jobs,
      wakeMs: performance.now() - drainedAt,
    };
  }

  async #enqueue(): Promise<void> {
    for (const { part } of this.#parts()) {
      await this.#engine.enqueue(
        part.map((input) => ({ type: 'part', input, correlationId: BATCH_NAME })),
        CALLER,
      );
    }
  }

  async #spawn(): Promise<void> {
    const engine = this.#engine;
    await engine.enqueue([{ type: 'parent' }], CALLER);
    const [parent] = await engine.claim({ owner: 'w0', types: ['parent'], max: 1 });
    const owned = held(parent!);
    for (const { part, offset, isLast } of this.#parts()) {
      const items = part.map((key) => ({ key, input: JSON.stringify(key) }));
      const set = { wait: WAIT.name, type: 'part', onFailure: 'collect' } as const;
      await engine.flows.spawn(owned, { ...set, items, offset, isLast });
    }
    await engine.flows.decide(owned, [WAIT]);
    await engine.settle([{ ...owned, ending: { kind: 'suspend', waits: [WAIT.name] } }]);
  }

  *#parts(): Generator<{ part: readonly string[]; offset: number; isLast: boolean }> {
    const { length } = this.#inputs;
    for (let offset = 0; offset < length; offset += SPAWN_MAX) {
      const part = this.#inputs.slice(offset, offset + SPAWN_MAX);
      yield { part, offset, isLast: offset + part.length === length };
    }
  }

  async #drain(): Promise<void> {
    for (let ended = 0; ended < this.#options.jobs;) {
      const claims = await this.#engine.claim({ owner: 'w1', types: ['part'], max: BATCH });
      const ending = { kind: 'succeed', result: '1' } as const;
      await this.#engine.settle(claims.map((one) => ({ ...held(one), ending })));
      ended += claims.length;
    }
  }

  /** Waits until the parent is woken, and ends it. */
  async #endParent(): Promise<void> {
    const engine = this.#engine;
    const { signal } = new AbortController();
    for (;;) {
      const [next] = await engine.claim({ owner: 'w0', types: ['parent'], max: 1 });
      if (next === undefined) {
        await systemTimers.sleep(20, signal);
        continue;
      }
      const [state] = await engine.flows.decide(held(next), [WAIT]);
      if (state!.state === 'open') throw new Error('the parent was woken before its children');
      await engine.settle([{ ...held(next), ending: { kind: 'succeed' } }]);
      return;
    }
  }
}

function held({ job, token, key }: Claim) {
  const ref = { tenant: job.tenant, id: job.id };
  return { ref, owner: job.owner!, epoch: job.epoch, known: job, token, key };
}

/** Of this process alone, all its threads. */
export async function ownCpuMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
