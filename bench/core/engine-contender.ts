import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import type { Claim } from 'pawl/internal/engine/claim';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Store } from 'pawl/internal/store/store';
import {
  type Contender,
  expectAll,
  inBatches,
  INPUT,
  LEASE,
  LIFECYCLE,
  SUCCESS,
  TENANT,
} from './contender.ts';

const OWNER = 'bench';

/** The engine as the benchmark calls it: one type, one tenant, one owner. */
export class BenchEngine {
  readonly #engine: Engine;
  readonly #type: string;

  private constructor(engine: Engine, type: string) {
    this.#engine = engine;
    this.#type = type;
  }

  static async open(store: Store, type: string): Promise<BenchEngine> {
    const ids = systemIds(systemClock);
    const lifecycles = builtInLifecycles;
    const engine = new Engine(openContext({ store, lifecycles, random: systemRandom, ids }));
    await engine.putType({ tenant: TENANT, type }, { lifecycle: LIFECYCLE, lease: LEASE });
    return new BenchEngine(engine, type);
  }

  requests(size: number): EnqueueRequest[] {
    return Array.from({ length: size }, () => ({ type: this.#type, input: INPUT }));
  }

  async enqueue(requests: readonly EnqueueRequest[]): Promise<void> {
    const caller = { tenant: TENANT, principal: null };
    const results = await this.#engine.enqueue(requests, { caller });
    const created = results.filter(({ kind }) => kind === 'created').length;
    expectAll(created, requests.length, 'enqueued');
  }

  claim(max: number): Promise<Claim[]> {
    return this.#engine.claim({ owner: OWNER, types: [this.#type], max });
  }

  async complete(claims: readonly Claim[]): Promise<void> {
    const outcomes = await this.#engine.settle(
      claims.map(({ job }) => ({
        ref: job,
        owner: OWNER,
        epoch: job.epoch,
        known: job,
        ending: SUCCESS,
      })),
    );
    const moved = outcomes.filter(({ kind }) => kind === 'moved').length;
    expectAll(moved, claims.length, 'completed');
  }
}

/** The product: the real engine over a real store, as the API or a worker calls it. */
export async function engineContender(
  store: Store,
  named: { label: string; rows: number; type?: string },
): Promise<Contender> {
  const { label, rows, type = 'engine' } = named;
  const engine = await BenchEngine.open(store, type);
  return {
    label,
    rows,
    async enqueue(size) {
      const requests = engine.requests(size);
      return () => engine.enqueue(requests);
    },
    async claim(max) {
      const claims = await engine.claim(max);
      const completions = async (batch: number): Promise<(() => Promise<void>)[]> =>
        inBatches(claims, batch).map((some) => () => engine.complete(some));
      return { size: claims.length, completions };
    },
    close: () => store.close(),
  };
}

/** One job through its whole life: what a database needs to know before it is measured. */
export async function playOnce(one: Contender): Promise<void> {
  await (
    await one.enqueue(1)
  )();
  const holding = await one.claim(1);
  for (const complete of await holding.completions(1)) await complete();
}
