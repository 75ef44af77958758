// One thread of virtual time: everything that waits waits here, and chance says who goes on next.
import { createHash } from 'node:crypto';
import { nextTick } from 'node:process';
import type { ManualClock } from 'pawl/internal/core/clock';
import type { SeededRandom } from 'pawl/internal/core/random';

/** One life of an actor. Whatever a dead one waits for never comes. */
export interface Life {
  readonly name: string;
  isOver: boolean;
}

interface Parked {
  readonly life: Life;
  readonly what: string;
  readonly readyAt: number;
  readonly wake: () => void;
}

const TRACE_TAIL = 400;
/** Characters that are hashed at once. */
const TRACE_CHUNK = 16_384;

export class Scheduler {
  readonly clock: ManualClock;
  readonly #random: SeededRandom;
  readonly #trace: string[] | null;
  readonly #hash = createHash('sha256');
  #tail: string[] = [];
  #unhashed = '';
  #parked: Parked[] = [];
  #working = 0;
  #onWorkDone: () => void = () => undefined;
  #failure: Error | null = null;
  steps: number = 0;

  /** Where there is a list for it, every line of the trace is kept there. */
  constructor(clock: ManualClock, random: SeededRandom, trace: string[] | null = null) {
    this.clock = clock;
    this.#random = random;
    this.#trace = trace;
  }

  /** Equal for equal runs: every turn taken and every answer given went into it. */
  get traceHash(): string {
    return this.#hash.copy().update(this.#unhashed).digest('hex');
  }

  get traceTail(): readonly string[] {
    return this.#tail.slice(-TRACE_TAIL);
  }

  note(line: string): void {
    const text = `${this.clock.now()} ${line}`;
    this.#unhashed += text;
    if (this.#unhashed.length > TRACE_CHUNK) {
      this.#hash.update(this.#unhashed);
      this.#unhashed = '';
    }
    this.#trace?.push(text);
    this.#tail.push(text);
    if (this.#tail.length > 2 * TRACE_TAIL) this.#tail = this.#tail.slice(-TRACE_TAIL);
  }

  /** Waits for its turn, which comes after the delay at the earliest. */
  park(life: Life, what: string, delayMs: number): Promise<void> {
    // Whole milliseconds, as every database's clock has them.
    const readyAt = this.clock.now() + Math.ceil(delayMs);
    return new Promise((wake) => {
      if (!life.isOver) this.#parked.push({ life, what, readyAt, wake });
    });
  }

  /** Ends a life: nothing that it waits for will ever come. */
  kill(life: Life): void {
    life.isOver = true;
    this.#parked = this.#parked.filter((one) => one.life !== life);
    this.note(`${life.name} crashed`);
  }

  /** Real work, during which virtual time stands still. */
  async work<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.#working += 1;
    try {
      return await call();
    } finally {
      this.#working -= 1;
      this.#onWorkDone();
    }
  }

  /** Starts something that goes on by itself; a failure ends the run. */
  launch(main: Promise<void>): void {
    main.catch((error: Error) => (this.#failure ??= error));
  }

  /** Goes on until the condition holds, or nothing moves, or the steps are used up. */
  async run(isDone: () => boolean | Promise<boolean>, stepsMax: number): Promise<boolean> {
    for (let step = 0; step < stepsMax; step++) {
      await this.#settle();
      if (this.#failure !== null) throw this.#failure;
      const done = isDone();
      if (typeof done === 'boolean' ? done : await done) return true;
      if (this.#parked.length === 0) return false;
      this.#turn();
    }
    return false;
  }

  #turn(): void {
    let earliest = Infinity;
    for (const { readyAt } of this.#parked) if (readyAt < earliest) earliest = readyAt;
    const before = this.clock.now();
    const now = earliest > before ? this.clock.advance(earliest - before) : before;
    const next = this.#random.pick(this.#parked.filter(({ readyAt }) => readyAt <= now));
    this.#parked.splice(this.#parked.indexOf(next), 1);
    this.steps += 1;
    this.note(`${next.life.name} ${next.what}`);
    next.wake();
  }

  /** Until every actor waits here again: no store call is under way and no promise is open. */
  async #settle(): Promise<void> {
    do {
      while (this.#working > 0) await new Promise<void>((done) => (this.#onWorkDone = done));
      // Ticks queued from a promise run only after all other promises have had their say.
      await new Promise<void>((done) => nextTick(done));
    } while (this.#working > 0);
  }
}
