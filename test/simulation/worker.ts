// Workers: they claim, work, renew and settle, and keep an honest ledger of what they did.
import { SeededRandom } from 'pawl/internal/core/random';
import type { Claim, ClaimOptions } from 'pawl/internal/engine/claim';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Ending } from 'pawl/internal/core/ending';
import type { Settlement } from 'pawl/internal/engine/settle';
import type { TransitionOutcome } from 'pawl/internal/engine/transition';
import { StoreError } from 'pawl/internal/store/store-error';
import { holdingOf } from '../support/world.ts';
import type { Actor } from './actor.ts';
import type { Chronicle } from './chronicle.ts';
import { TYPE_NAMES } from './job-types.ts';

/** Without the claim's token, as remote workers may leave it out: the epoch must be enough. */
function byEpochAlone(claim: Claim): Ownership {
  const { token: _token, ...held } = holdingOf(claim);
  return held;
}

const TRIES_MAX = 5;
const CLASSES: readonly string[] = [
  'network_timeout',
  'timeout',
  'TransientError',
  'PermanentError',
];

/** A turn that is over and not yet reported. */
interface Ended {
  readonly claim: Claim;
  readonly settlement: Settlement;
}

/** What survives a worker's crash: its name, the number of its last request, and its ledger. */
export class Worker {
  readonly #chronicle: Chronicle;
  readonly #random: SeededRandom;
  readonly #isHealed: () => boolean;
  /** One that is asked again is answered with what it won, however few it asks for by then. */
  readonly #asked = new Set<string>();
  #requests = 0;

  constructor(chronicle: Chronicle, seed: number, isHealed: () => boolean) {
    this.#chronicle = chronicle;
    this.#random = new SeededRandom(seed);
    this.#isHealed = isHealed;
  }

  /** Two slots under one name: the worker can become the rival of its own forgotten turn. */
  async run(actor: Actor): Promise<void> {
    await Promise.all([this.#runSlot(actor, 'a'), this.#runSlot(actor, 'b')]);
  }

  async #runSlot(actor: Actor, slot: string): Promise<void> {
    const random = this.#random;
    // After a crash it asks once more for what its last request may have won.
    if (random.next() < 0.5) this.#requests += 1;
    // The last end is now and then reported in the same call in which the next jobs are claimed.
    let ended: Ended | null = null;
    for (;;) {
      const max = 1 + random.below(3);
      const types = TYPE_NAMES.filter(() => this.#isHealed() || random.next() < 0.8);
      const requestId = `${actor.name}-${slot}-${this.#requests}`;
      const asked = { owner: actor.name, types, max, requestId };
      const isFirst = !this.#asked.has(requestId);
      this.#asked.add(requestId);
      const claims = await this.#claim(actor, asked, ended);
      ended = null;
      this.#requests += 1;
      if (isFirst && (claims?.length ?? 0) > max) {
        this.#chronicle.problems.push(`C1 more than ${max} came`);
      }
      for (const claim of claims ?? []) {
        const end = await this.#attempt(actor, claim);
        if (end === null) continue;
        if (claim === claims!.at(-1) && random.next() < 0.3) ended = end;
        else await this.#settle(actor, end);
      }
      await actor.sleep(claims === null || claims.length === 0 ? 400 + random.below(600) : 1);
    }
  }

  async #claim(
    actor: Actor,
    asked: ClaimOptions,
    ended: Ended | null,
  ): Promise<readonly Claim[] | null> {
    if (ended === null) return this.#insist(actor, () => actor.engine.claim(asked));
    const report = this.#report(ended);
    const answer = await this.#insist(actor, () =>
      actor.engine.settleAndClaim([ended.settlement], asked),
    );
    if (answer === null) return null;
    report(answer.outcomes);
    return answer.claims;
  }

  /** One turn with one job, from claim to its end; it stops when told that the lease is lost. */
  async #attempt(actor: Actor, claim: Claim): Promise<Ended | null> {
    const random = this.#random;
    const entry = this.#chronicle.begin(claim.job, actor.now);
    let isCancelWished = claim.job.cancel !== null;
    const held = byEpochAlone(claim);
    if (claim.job.phase === 'leased' && random.next() < 0.9) {
      const started = await this.#insist(actor, () => actor.engine.start([this.#shown(claim)]));
      this.#chronicle.zombies.note([held], started ?? []);
      if (started !== null && started[0]!.kind === 'refused') {
        this.#end(entry, actor);
        return null;
      }
    }
    for (let slice = random.below(4); slice > 0; slice--) {
      await actor.sleep(random.below(this.#isHealed() ? 400 : claim.renewInMs * 2));
      const beat = { ...held, ...this.#news() };
      const answers = await this.#insist(actor, () => actor.engine.renew([beat]));
      if (answers === null) continue;
      this.#chronicle.zombies.note([held], answers);
      const answer = answers[0]!;
      if (answer.kind === 'refused') {
        this.#end(entry, actor);
        return null;
      }
      isCancelWished ||= answer.cancel !== null;
    }
    const ending = this.#isHealed()
      ? this.#goodEnding(claim, isCancelWished)
      : this.#anyEnding(claim, isCancelWished);
    this.#end(entry, actor);
    return { claim, settlement: { ...this.#shown(claim), ending } };
  }

  #end(entry: { endedAt: number | null }, actor: Actor): void {
    entry.endedAt = actor.now;
  }

  async #settle(actor: Actor, ended: Ended): Promise<void> {
    const report = this.#report(ended);
    const outcomes = await this.#insist(actor, () => actor.engine.settle([ended.settlement]));
    if (outcomes !== null) report(outcomes);
  }

  /** Notes that a success is reported; what comes back is to be told how it went. */
  #report({ claim, settlement }: Ended): (all: readonly TransitionOutcome[]) => void {
    const { ending } = settlement;
    const report =
      ending.kind === 'succeed' ? this.#chronicle.complete(claim, ending.result!) : null;
    return ([outcome]) => {
      this.#chronicle.zombies.note([settlement], [outcome!]);
      if (report !== null) report.outcome = outcome!.kind === 'refused' ? 'fail' : 'ok';
    };
  }

  /** Half of the time as it was claimed, which spares the engine a read. */
  #shown(claim: Claim): Ownership {
    const held = byEpochAlone(claim);
    return this.#random.next() < 0.5 ? held : { ...held, known: claim.job };
  }

  #news(): object {
    const random = this.#random;
    const text = JSON.stringify({ at: random.below(100) });
    return {
      progress: random.below(101),
      ...(random.next() < 0.3 ? { stage: random.pick(['fetch', 'render']) } : {}),
      ...(random.next() < 0.3 ? { checkpoint: text } : {}),
      ...(random.next() < 0.2 ? { stageResult: { name: 'fetch', result: text } } : {}),
    };
  }

  #goodEnding(claim: Claim, isCancelWished: boolean): Ending {
    if (isCancelWished) return { kind: 'cancelled' };
    return { kind: 'succeed', result: resultOf(claim) };
  }

  #anyEnding(claim: Claim, isCancelWished: boolean): Ending {
    const random = this.#random;
    const delayMs = random.pick([0, 50, 1_500]);
    if (isCancelWished && random.next() < 0.5) return { kind: 'cancelled' };
    // A remote process is polled many times before it ends.
    const isPolled = claim.job.lifecycle === 'process';
    const dice = isPolled ? 0.3 + 0.7 * random.next() : random.next();
    if (dice < 0.45) return { kind: 'succeed', result: resultOf(claim) };
    if (dice < (isPolled ? 0.6 : 0.75)) {
      return { kind: 'fail', error: { class: random.pick(CLASSES), message: 'it broke' } };
    }
    if (dice < 0.84) return { kind: 'snooze', delayMs };
    return dice < 0.92 ? { kind: 'advance', delayMs } : { kind: 'release' };
  }

  /** Asks again while the store fails; null when it gives up. */
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

function resultOf({ job }: Claim): string {
  return JSON.stringify({ by: job.owner, epoch: job.epoch });
}
