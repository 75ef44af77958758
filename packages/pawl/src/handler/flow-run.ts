import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FlowAnswerTo, FlowCall, WaitRequest, WaitState, WaitValue } from '../core/flow.ts';
import type { AttemptPort } from './attempt-port.ts';
import { fail } from './failure.ts';
import { JobStop, type StopSwitch } from './stop.ts';
import { SUSPENDED } from './suspended.ts';

/** The stage or effect whose work this is: a wait inside of it would wait for itself. */
const insideOf = new AsyncLocalStorage<string>();

export function runInside<Answer>(part: string, work: () => Answer): Answer {
  return insideOf.run(part, work);
}

/** What a wait is made of. */
export interface WaitPlan<Value = unknown> {
  readonly request: WaitRequest;
  /** Makes the children that it waits for, where it does. */
  readonly prepare: () => Promise<void>;
  /** What was decided, as the handler gets it; null where it does not count: the wait goes on. */
  readonly read: (value: WaitValue) => Promise<{ readonly value: Value } | null>;
}

interface Begun {
  readonly plan: WaitPlan;
  readonly outcome: PromiseWithResolvers<unknown>;
}

export interface FlowEnvironment {
  readonly port: AttemptPort;
  readonly stops: StopSwitch;
  /** Stages, effects and artifacts on their way: a turn is suspended after them. */
  readonly inFlight: Set<Promise<unknown>>;
}

/**
 * The waits of one turn. What is awaited within one round of the event loop is asked for together;
 * when nothing is decided, and nothing else is on its way, the turn ends.
 */
export class FlowRun {
  readonly #around: FlowEnvironment;
  readonly #names: Set<string> = new Set();
  /** Begun, and not asked for yet. */
  #pending: Begun[] = [];
  /** Asked for, and not decided. */
  #open: Begun[] = [];
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();
  #isDriving = false;
  #isOver = false;
  #suspension: readonly string[] | null = null;

  constructor(around: FlowEnvironment) {
    this.#around = around;
  }

  /** The waits on which the turn was suspended; null if it was not. */
  get suspension(): readonly string[] | null {
    return this.#suspension;
  }

  /** The handler has ended: what it left behind waits for nothing any more. */
  end(): void {
    this.#isOver = true;
    this.#changed.resolve();
  }

  /** How many names of waits this turn has met. */
  get named(): number {
    return this.#names.size;
  }

  /** A name stands for one wait: a second would get what the first was told. */
  claimName(name: string): void {
    if (!WAIT_NAME.test(name)) {
      const message = `"${name}" cannot name a wait: use 1 to 128 letters, digits or . _ : / -`;
      throw fail('configuration_error', message, { code: 'VALIDATION_ERROR' });
    }
    if (this.#names.has(name)) {
      const message =
        `there are two waits named "${name}" in one turn: give each a name of its own, ` +
        'in a loop one with the number of the round';
      throw fail('configuration_error', message, { code: 'VALIDATION_ERROR' });
    }
    this.#names.add(name);
  }

  async begin<Value>(plan: WaitPlan<Value>): Promise<Value> {
    this.checkOpen();
    const outcome = Promise.withResolvers<unknown>();
    this.#pending.push({ plan, outcome });
    this.#changed.resolve();
    if (!this.#isDriving) void this.#drive();
    return outcome.promise as Promise<Value>;
  }

  /** Throws once the turn is over. */
  checkTurn(): void {
    // oxlint-disable-next-line typescript/only-throw-error -- it is no error
    if (this.#suspension !== null) throw SUSPENDED;
    this.#around.stops.throwIfTurned();
  }

  /** Throws where nothing can be begun, or begun any more. */
  checkOpen(): void {
    this.checkTurn();
    const part = insideOf.getStore();
    if (part === undefined) return;
    const message =
      `a wait inside "${part}" would never end, because the stage is finished first; ` +
      'move the wait out of the stage';
    throw fail('configuration_error', message);
  }

  /** Asks the platform; a turn is not suspended meanwhile. */
  async ask<Call extends FlowCall>(call: Call): Promise<FlowAnswerTo<Call>> {
    const answer = this.#around.port.flow(call);
    this.track(answer);
    return (await answer) as FlowAnswerTo<Call>;
  }

  track(work: Promise<unknown>): void {
    const { inFlight } = this.#around;
    inFlight.add(work);
    const over = (): void => void inFlight.delete(work);
    work.then(over, over);
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    const { stops } = this.#around;
    const poke = (): void => this.#changed.resolve();
    stops.signal.addEventListener('abort', poke);
    try {
      while (await this.#step());
    } finally {
      stops.signal.removeEventListener('abort', poke);
      this.#isDriving = false;
    }
  }

  /** False when there is nothing left to do. */
  async #step(): Promise<boolean> {
    // Whatever else the handler awaits now goes along.
    await nextTurn();
    this.#changed = Promise.withResolvers();
    const { stops, inFlight } = this.#around;
    if (this.#isOver) return false;
    if (stops.stop !== null) return this.#giveUp(stops.stop);
    if (this.#pending.length > 0) {
      await this.#askAll(this.#pending.splice(0));
      return true;
    }
    if (this.#open.length === 0) return false;
    if (inFlight.size === 0) return this.#suspend();
    await Promise.race([this.#changed.promise, ...[...inFlight].map(settled)]);
    return true;
  }

  async #askAll(begun: readonly Begun[]): Promise<void> {
    const ready: Begun[] = [];
    for (const one of begun) {
      try {
        await one.plan.prepare();
        ready.push(one);
      } catch (error) {
        one.outcome.reject(error);
      }
    }
    const states = await this.#decide(ready);
    await Promise.all(ready.map((one, index) => this.#heard(one, states[index]!)));
  }

  /** One that is refused must not spoil the others. */
  async #decide(begun: readonly Begun[]): Promise<(WaitState | { readonly error: unknown })[]> {
    if (begun.length === 0) return [];
    const { port } = this.#around;
    try {
      const call = { do: 'decide', waits: begun.map(({ plan }) => plan.request) } as const;
      const answer = (await port.flow(call)) as FlowAnswerTo<typeof call>;
      return [...answer.waits];
    } catch (error) {
      if (begun.length === 1) return [{ error }];
      const states = await Promise.all(begun.map((one) => this.#decide([one])));
      return states.flat();
    }
  }

  async #heard(one: Begun, state: WaitState | { readonly error: unknown }): Promise<void> {
    if ('error' in state) return one.outcome.reject(state.error);
    if (state.state === 'open') return void this.#open.push(one);
    try {
      const read = await one.plan.read(state.value);
      if (read === null) this.#pending.push(one);
      else one.outcome.resolve(read.value);
    } catch (error) {
      one.outcome.reject(error);
    }
  }

  #suspend(): false {
    this.#suspension = this.#open.map(({ plan }) => plan.request.name);
    const message = `the job is suspended: it waits for ${this.#suspension.join(', ')}`;
    this.#around.stops.turn(new JobStop({ why: 'suspended', mode: null, message }));
    return this.#giveUp(SUSPENDED);
  }

  #giveUp(reason: unknown): false {
    for (const { outcome } of [...this.#open.splice(0), ...this.#pending.splice(0)]) {
      outcome.reject(reason);
    }
    return false;
  }
}

const WAIT_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => undefined);
}
