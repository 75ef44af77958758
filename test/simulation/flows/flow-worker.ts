// A worker that runs flows turn by turn, and remembers what each wait came to.
import { isPawlError } from 'pawl/internal/core/errors';
import { SeededRandom } from 'pawl/internal/core/random';
import type { Claim } from 'pawl/internal/engine/claim';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Ending } from 'pawl/internal/core/ending';
import type { WaitRequest, WaitState } from 'pawl/internal/core/flow';
import { StoreError } from 'pawl/internal/store/store-error';
import { holdingOf } from '../../support/world.ts';
import type { Actor } from '../actor.ts';
import { Zombies } from '../zombies.ts';
import { FLOW_TYPES, type FlowInput, PARENTS, programOf, type Step } from './program.ts';

const TRIES_MAX = 5;
const NEVER: WaitRequest = { name: 'never', kind: 'message', message: 'never' };

/** What all workers of a run have seen. */
export class Seen {
  readonly problems: string[] = [];
  readonly #values: Map<string, string> = new Map();
  wakes: number = 0;
  readonly zombies: Zombies = new Zombies();

  /** A wait that was decided stays as it was decided. */
  value(jobId: string, name: string, text: string): void {
    const key = `${jobId} ${name}`;
    const before = this.#values.get(key) ?? text;
    this.#values.set(key, text);
    if (before !== text) this.problems.push(`V1 ${key}: first ${before}, then ${text}`);
  }
}

export class FlowWorker {
  readonly #seen: Seen;
  readonly #random: SeededRandom;
  readonly #isHealed: () => boolean;

  constructor(seen: Seen, seed: number, isHealed: () => boolean) {
    this.#seen = seen;
    this.#random = new SeededRandom(seed);
    this.#isHealed = isHealed;
  }

  async run(actor: Actor): Promise<void> {
    const types = Object.keys(FLOW_TYPES);
    for (;;) {
      const asked = { owner: actor.name, types, max: 1 + this.#random.below(3) };
      const claims = await this.#insist(actor, () => actor.engine.claim(asked));
      for (const claim of claims ?? []) await this.#turn(actor, claim);
      await actor.sleep((claims ?? []).length === 0 ? 300 + this.#random.below(300) : 1);
    }
  }

  async #turn(actor: Actor, claim: Claim): Promise<void> {
    const held = holdingOf(claim);
    if (claim.job.phase === 'leased') {
      const started = await this.#insist(actor, () => actor.engine.start([held]));
      this.#seen.zombies.note([held], started ?? []);
      if (started === null || started[0]!.kind === 'refused') return;
    }
    const ending = await this.#ending(actor, claim);
    if (ending === null) return;
    const outcomes = await this.#insist(actor, () => actor.engine.settle([{ ...held, ending }]));
    this.#seen.zombies.note([held], outcomes ?? []);
  }

  async #ending(actor: Actor, claim: Claim): Promise<Ending | null> {
    const { type, cancel } = claim.job;
    if (cancel !== null) return { kind: 'cancelled' };
    if (type === 'stuck') return this.#wait(actor, claim, [NEVER]);
    if (PARENTS.includes(type)) return this.#flow(actor, claim);
    await actor.sleep(this.#random.below(500));
    const isGood = this.#isHealed() || this.#random.next() < 0.7;
    if (isGood) return { kind: 'succeed', result: JSON.stringify(claim.job.id) };
    return { kind: 'fail', error: { class: 'timeout', message: 'it broke' } };
  }

  /** From the top, up to the first wait that is not decided. */
  async #flow(actor: Actor, claim: Claim): Promise<Ending | null> {
    const { steps, depth } = programOf(JSON.parse(claim.job.input) as FlowInput);
    for (const step of steps) {
      if (!this.#isHealed() && this.#random.next() < 0.05) {
        return { kind: 'fail', error: { class: 'network_timeout', message: 'it broke' } };
      }
      const open = await this.#step(actor, claim, { step, depth });
      if (open !== 'go on') return open;
    }
    return { kind: 'succeed', result: '"done"' };
  }

  async #step(
    actor: Actor,
    claim: Claim,
    { step, depth }: { step: Step; depth: number },
  ): Promise<Ending | 'go on' | null> {
    if (step.do === 'wait') return (await this.#wait(actor, claim, step.waits)) ?? 'go on';
    const { name, keys } = step;
    const type = step.do === 'call' ? step.type : 'stuck';
    const items = keys.map((key, index) => {
      const input: FlowInput = { seed: claim.job.createdAt + index, depth: depth - 1 };
      return { key, input: JSON.stringify(input) };
    });
    const onFailure = step.do === 'call' ? step.onFailure : 'throw';
    const request = { wait: name, type, onFailure, items, isLast: true };
    const held = holdingOf(claim);
    const made = await this.#ask(actor, held, () => actor.engine.flows.spawn(held, request));
    if (made === null) return null;
    if (step.do === 'spawn') return 'go on';
    const open = await this.#wait(actor, claim, [{ name, kind: 'children' }]);
    return open ?? 'go on';
  }

  /** Null: all are decided. Where nothing could be learnt the turn is given back. */
  async #wait(actor: Actor, claim: Claim, waits: readonly WaitRequest[]): Promise<Ending | null> {
    const { flows } = actor.engine;
    const held = holdingOf(claim);
    const states = await this.#ask(actor, held, () => flows.decide(held, waits));
    if (states === null) return { kind: 'release' };
    states.forEach((state, index) => this.#note(claim, waits[index]!.name, state));
    const open = waits.filter((_, index) => states[index]!.state === 'open');
    if (open.length === 0) return null;
    this.#seen.wakes += 1;
    return { kind: 'suspend', waits: open.map(({ name }) => name) };
  }

  #note({ job }: Claim, name: string, state: WaitState): void {
    if (state.state === 'open') return;
    const { value } = state;
    if (value.kind !== 'children') return this.#seen.value(job.id, name, JSON.stringify(value));
    // One that fails fast is decided before the others have ended.
    const { total, failed, succeeded } = value.counts;
    if (total === failed + succeeded) this.#seen.value(job.id, name, `${succeeded}/${failed}`);
  }

  /** Null: the turn is not this worker's any more, or the store gave no answer. */
  async #ask<Answer>(
    actor: Actor,
    held: Ownership,
    verb: () => Promise<Answer>,
  ): Promise<Answer | null> {
    try {
      return await this.#insist(actor, verb);
    } catch (error) {
      if (!isPawlError(error) || error.code === 'WAIT_CHANGED') throw error;
      this.#seen.zombies.noteRefusal(held, error);
      return null;
    }
  }

  async #insist<Answer>(actor: Actor, ask: () => Promise<Answer>): Promise<Answer | null> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
        await actor.sleep(20 * 2 ** tries);
      }
    }
    return null;
  }
}
