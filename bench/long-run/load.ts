import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import type { Claim } from 'pawl/internal/engine/claim';
import type { EngineContext } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Ending } from 'pawl/internal/core/ending';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Store } from 'pawl/internal/store/store';
import { INPUT, TENANT } from '../core/contender.ts';
import { DAY_MS } from './short-days.ts';

const TYPE = 'steady';
const BATCH_MAX = 100;
const CLAIM_MAX = 50;
const CLAIMERS = 2;
const IDLE_MS = 10;

/** One in so many jobs has a key, tells of its progress, fails for good. */
const ONE_IN = { key: 10, note: 5, failure: 50 };

/** A failure that is worth a retry, of a type that grants none: it leaves a dead letter. */
const FAILURE: Ending = {
  kind: 'fail',
  error: { class: 'network_timeout', message: 'it took too long' },
};

/** Jobs that come in and are worked off: some with keys, some with notes, some that fail. */
export class Load {
  readonly context: EngineContext;
  readonly engine: Engine;
  readonly warnings: string[] = [];
  #made = 0;
  #begun = 0;
  #settled = 0;
  #ended = 0;
  #claimMs: number[] = [];
  /** Ends the loops beside the one that failed, which would wait for its jobs for ever. */
  #isBroken = false;

  private constructor(store: Store, clock: Clock) {
    this.context = openContext({
      store,
      lifecycles: builtInLifecycles,
      random: systemRandom,
      ids: systemIds(clock),
      log: { warn: (message, facts) => this.#warn(message, facts) },
    });
    this.engine = new Engine(this.context);
  }

  static async open(store: Store, clock: Clock): Promise<Load> {
    const load = new Load(store, clock);
    const lease = { ttlMs: DAY_MS, heartbeatMs: DAY_MS / 2 };
    const definition = { lifecycle: 'task', lease, retry: { maxAttempts: 1 } };
    await load.engine.putType({ tenant: TENANT, type: TYPE }, definition);
    return load;
  }

  /** Jobs that fail are part of the load; whatever else is warned of is not. */
  #warn(message: string, facts: Readonly<Record<string, unknown>>): void {
    if (message !== 'job failed') this.warnings.push(`${message} ${JSON.stringify(facts)}`);
  }

  get made(): number {
    return this.#made;
  }

  get ended(): number {
    return this.#ended;
  }

  /** How long the claims took that found jobs, since the last time this was asked. */
  takeClaimTimes(): number[] {
    const times = this.#claimMs;
    this.#claimMs = [];
    return times;
  }

  /** So many jobs a second come in and are worked off beside, until all have ended. */
  async runAtPace(jobs: number, perSecond: number): Promise<void> {
    const until = this.#made + jobs;
    const claimers = Array.from({ length: CLAIMERS }, async (_, number) => {
      while (this.#ended < until && !this.#isBroken) {
        if ((await this.#workOff(`w${number}`, CLAIM_MAX)) === 0) await sleep(IDLE_MS);
      }
    });
    await Promise.all([this.#produce(until, perSecond), ...claimers]);
  }

  async #produce(until: number, perSecond: number): Promise<void> {
    const began = performance.now();
    const first = this.#made;
    while (this.#made < until) {
      const due = first + Math.floor(((performance.now() - began) * perSecond) / 1_000);
      const count = Math.min(due, until, this.#made + BATCH_MAX) - this.#made;
      if (count > 0) await this.#enqueue(count);
      else await sleep(IDLE_MS);
    }
  }

  /** As fast as it goes for that long; answers with the full lives a second. */
  async runFlatOut(ms: number): Promise<number> {
    const began = performance.now();
    const before = this.#ended;
    const loops = Array.from({ length: CLAIMERS }, async (_, number) => {
      while (performance.now() - began < ms && !this.#isBroken) {
        await this.#enqueue(BATCH_MAX);
        await this.#workOff(`w${number}`, BATCH_MAX);
      }
    });
    await Promise.all(loops);
    const livesPerSecond = ((this.#ended - before) * 1_000) / (performance.now() - began);
    while ((await this.#workOff('w0', BATCH_MAX)) > 0);
    return livesPerSecond;
  }

  async #enqueue(count: number): Promise<void> {
    const requests = Array.from({ length: count }, (_, index): EnqueueRequest => {
      const number = this.#made + index;
      const request = { type: TYPE, input: INPUT };
      return number % ONE_IN.key === 0 ? { ...request, idempotencyKey: `key-${number}` } : request;
    });
    this.#made += count;
    const results = await this.engine.enqueue(requests, {
      caller: { tenant: TENANT, principal: null },
    });
    const refused = results.find(({ kind }) => kind !== 'created');
    if (refused !== undefined) throw new Error(`a job was not accepted: ${refused.kind}`);
  }

  async #workOff(owner: string, max: number): Promise<number> {
    const began = performance.now();
    const claims = await this.engine.claim({ owner, types: [TYPE], max });
    if (claims.length === 0) return 0;
    this.#claimMs.push(performance.now() - began);
    const held = claims.map((claim) => holdingOf(claim, owner));
    const telling = held.filter(() => ++this.#begun % ONE_IN.note === 0);
    await this.engine.renew(telling.map((one) => ({ ...one, progress: 50, message: 'halfway' })));
    const outcomes = await this.engine.settle(
      held.map((one) => ({ ...one, ending: this.#nextEnding() })),
    );
    const lost = outcomes.find(({ kind }) => kind !== 'moved');
    if (lost !== undefined) {
      this.#isBroken = true;
      throw new Error(`a job was not settled: ${lost.kind}`);
    }
    this.#ended += claims.length;
    return claims.length;
  }

  #nextEnding(): Ending {
    return ++this.#settled % ONE_IN.failure === 0 ? FAILURE : { kind: 'succeed' };
  }
}

function holdingOf({ job }: Claim, owner: string): Ownership {
  return { ref: job, owner, epoch: job.epoch };
}
