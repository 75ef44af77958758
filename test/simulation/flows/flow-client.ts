// A client of flows: it starts them and graphs, sends messages, and cancels.
import { isPawlError } from '../../../src/core/errors.ts';
import type { JobRef } from '../../../src/core/job.ts';
import { isTerminal } from '../../../src/core/phase.ts';
import { SeededRandom } from '../../../src/core/random.ts';
import type { GraphItem } from '../../../src/engine/flows/flows.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Actor } from '../actor.ts';
import { type FlowInput, MESSAGE, PARENTS } from './program.ts';

export const FLOW_TENANT = 'acme';
const CALLER = { caller: { tenant: FLOW_TENANT, principal: 'client' } };

export class FlowClient {
  readonly #random: SeededRandom;
  readonly #errands: number;
  readonly #isHealed: () => boolean;
  readonly known: JobRef[] = [];
  #done = 0;

  constructor(seed: number, errands: number, isHealed: () => boolean) {
    this.#random = new SeededRandom(seed);
    this.#errands = errands;
    this.#isHealed = isHealed;
  }

  get isDone(): boolean {
    return this.#done >= this.#errands;
  }

  async run(actor: Actor): Promise<void> {
    for (;;) {
      await actor.sleep(this.isDone ? 2_000 : this.#random.below(1_500));
      try {
        if (!this.isDone) await this.#errand(actor);
        else if (this.#isHealed()) await this.#sendToAll(actor);
      } catch (error) {
        const isKnown = isPawlError(error) || error instanceof StoreError;
        if (!isKnown || (error instanceof StoreError && error.outcome === 'refused')) throw error;
      }
      this.#done += 1;
    }
  }

  async #errand({ engine, now }: Actor): Promise<void> {
    const random = this.#random;
    const dice = random.next();
    const ref = this.known.length === 0 ? null : random.pick(this.known);
    if (ref === null || dice < 0.4) return this.#start(engine);
    if (dice < 0.5) return this.#graph(engine);
    if (dice < 0.85) {
      const key = random.next() < 0.5 ? { key: `k${random.below(3)}` } : {};
      await engine.flows.send({ ref, name: MESSAGE, payload: `${now}`, actor: 'api:c', ...key });
      return;
    }
    const mode = random.pick(['soft', 'hard'] as const);
    await engine.cancel([{ ref, actor: 'api:c', mode, reason: 'changed my mind' }]);
  }

  async #start(engine: Actor['engine']): Promise<void> {
    const random = this.#random;
    const input: FlowInput = { seed: random.below(1e9), depth: 1 };
    const [result] = await engine.enqueue([{ type: random.pick(PARENTS), input }], CALLER);
    if (result!.kind !== 'refused') this.known.push({ tenant: FLOW_TENANT, id: result!.job.id });
  }

  async #graph(engine: Actor['engine']): Promise<void> {
    const random = this.#random;
    const rule = random.pick(['cancel', 'run'] as const);
    const items: GraphItem[] = [
      { ref: 'a', request: { type: 'leaf' } },
      { ref: 'b', request: { type: 'paper' }, after: ['a'], onNeedFailed: rule },
      { ref: 'c', request: { type: 'leaf' }, after: ['a', 'b'], onNeedFailed: rule },
    ];
    await engine.flows.enqueueGraph(items, CALLER);
  }

  /** Nobody is left waiting for a message once all is well. */
  async #sendToAll({ engine, store, now }: Actor): Promise<void> {
    const { jobs } = await store.list({ tenant: FLOW_TENANT, limit: 1_000 });
    for (const { tenant, id, phase, type } of jobs) {
      if (isTerminal(phase) || !PARENTS.includes(type)) continue;
      const ref = { tenant, id };
      await engine.flows.send({ ref, name: MESSAGE, payload: `${now}`, actor: 'api:c' });
    }
  }
}
