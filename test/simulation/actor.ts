// An actor: an engine of its own on a store that it reaches through a faulty connection.
import type { Ids } from 'pawl/internal/core/ids';
import type { SeededRandom } from 'pawl/internal/core/random';
import type { EngineContext } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Timers } from 'pawl/internal/core/timers';
import { StoreError } from 'pawl/internal/store/store-error';
import type { TailPage, TailQuery } from 'pawl/internal/store/query';
import type { Store } from 'pawl/internal/store/store';
import type { Fault, Faults } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import type { Life, Scheduler } from './scheduler.ts';
import type { TailFingerprint } from './tail-fingerprint.ts';

/** What all actors of a run share. */
export interface Stage {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly store: Store;
  readonly ids: Ids;
  /** The name of this log, which is another one each time. */
  readonly incarnation: string;
  readonly tails: TailFingerprint;
  /** Chance of the world: delays, jitter. */
  readonly random: SeededRandom;
}

export type Main = (actor: Actor) => Promise<void>;

const PAUSE_MS: readonly number[] = [3_000, 20_000, 45_000, 130_000];

/** How a store keeps its bytes is its own matter: all else is asked alike on every store. */
const OWN_MATTERS: ReadonlySet<string> = new Set(['figures', 'checkRows']);

/** Starts an actor, and starts it again whenever it has crashed. */
export function spawn(stage: Stage, name: string, main: Main): void {
  const actor = new Actor(stage, name, () => spawn(stage, name, main));
  stage.scheduler.launch(main(actor));
}

export class Actor {
  readonly name: string;
  readonly context: EngineContext;
  readonly engine: Engine;
  /** The store as this actor reaches it. */
  readonly store: Store;
  /** Sleeps of this life, which nobody wakes from after a crash. */
  readonly timers: Timers;
  readonly #stage: Stage;
  #skewMs = 0;
  readonly #life: Life;
  readonly #restart: () => void;

  constructor(stage: Stage, name: string, restart: () => void) {
    this.name = name;
    this.#stage = stage;
    this.#life = { name, isOver: false };
    this.#restart = restart;
    const { random, ids } = stage;
    const clock = { now: (): number => this.now + this.#skewMs };
    const store = this.#connect(stage.store);
    this.store = store;
    this.context = openContext({ store, lifecycles: builtInLifecycles, random, ids, clock });
    this.engine = new Engine(this.context);
    this.timers = { sleep: (ms, signal) => Promise.race([this.sleep(ms), aborted(signal)]) };
  }

  get now(): number {
    return this.#stage.scheduler.clock.now();
  }

  sleep(ms: number): Promise<void> {
    return this.#stage.scheduler.park(this.#life, 'woke', ms);
  }

  /** A part of the store, such as its followers, is reached through the same connection. */
  #connect<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (member === undefined) return undefined;
        if (typeof member !== 'function') return this.#connect(member as object);
        return (...args: unknown[]): Promise<unknown> => {
          const call = (): Promise<unknown> => member.apply(target, args) as Promise<unknown>;
          if (OWN_MATTERS.has(String(name))) return this.#stage.scheduler.work(call);
          return this.#ask(String(name), args, call);
        };
      },
    });
  }

  /** Request and answer travel apart, so others can come in between. */
  async #ask(
    verb: string,
    args: readonly unknown[],
    call: () => Promise<unknown>,
  ): Promise<unknown> {
    const { scheduler, faults } = this.#stage;
    const fault = faults.pick();
    this.#skewMs = faults.pickJump() ?? this.#skewMs;
    const turn = (what: string, slow: boolean): Promise<void> =>
      scheduler.park(this.#life, `${verb} ${what}`, this.#delay(slow ? fault : null));
    const isEarly = this.#stage.random.next() < 0.5;
    await turn('sent', isEarly);
    if (fault === 'failBefore') throw new StoreError('unchanged', 'the store cannot be reached');
    if (fault === 'crashBefore') return this.#crash();
    const answer = await scheduler.work(call);
    const told = this.#fingerprint(verb, args, answer);
    scheduler.note(`${this.name} ${verb} ${told}${fault === null ? '' : ` ${fault}`}`);
    if (fault === 'duplicate') this.#askAgain(verb, call);
    if (fault === 'crashAfter') return this.#crash();
    await turn('answered', !isEarly);
    if (fault === 'loseReply') throw new StoreError('unknown', 'the answer was lost');
    return answer;
  }

  #fingerprint(verb: string, args: readonly unknown[], answer: unknown): number {
    const { tails, incarnation } = this.#stage;
    return verb === 'tail'
      ? tails.of(args[0] as TailQuery, answer as TailPage)
      : fingerprint(answer, incarnation);
  }

  #askAgain(verb: string, call: () => Promise<unknown>): void {
    const { scheduler, random } = this.#stage;
    const ghost: Life = { name: `ghost of ${this.name}`, isOver: false };
    const late = async (): Promise<void> => {
      await scheduler.park(ghost, `${verb} sent again`, random.below(2_000));
      // Nobody waits for its answer, whatever that is; only a cell that is away gives none.
      await scheduler.work(call).catch((error: unknown) => {
        if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
      });
    };
    scheduler.launch(late());
  }

  #delay(fault: Fault | null): number {
    const { random } = this.#stage;
    if (fault === 'pause') return random.pick(PAUSE_MS);
    return fault === 'slow' ? 100 + random.below(3_000) : random.below(4);
  }

  #crash(): Promise<never> {
    const { scheduler, random } = this.#stage;
    scheduler.kill(this.#life);
    const keeper: Life = { name: `keeper of ${this.name}`, isOver: false };
    const delayMs = random.below(5_000);
    scheduler.launch(scheduler.park(keeper, 'restarts it', delayMs).then(this.#restart));
    return never();
  }
}

/** Another one each time: a shared promise would remember all who ever waited for it. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Resolves when the signal says so. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
