// What goes wrong in a run: each seed switches on its own part of the menu.
import type { SeededRandom } from 'pawl/internal/core/random';

export const FAULTS = [
  /** The request or the answer takes seconds. */
  'slow',
  /** The actor sleeps past its leases and does not notice. */
  'pause',
  /** Nothing was written, and the caller is told so. */
  'failBefore',
  /** It was written, and the caller will never know. */
  'loseReply',
  'crashBefore',
  'crashAfter',
  /** The request arrives a second time, some time later. */
  'duplicate',
] as const;

/** By which an actor's own clock, but never the database's, is wrong from now on. */
const JUMPS_MS: readonly number[] = [0, -10_800_000, -30_000, 30_000, 3_600_000];

export type Fault = (typeof FAULTS)[number] | 'clockJump';

/** Clocks jump only where a chance for it is given. */
export interface FaultsOptions {
  readonly random: SeededRandom;
  readonly jumps: SeededRandom | null;
  readonly isLeftOut: (number: number) => boolean;
}

/** Chooses faults by seed. Each has a number, by which a shrunk run leaves it out. */
export class Faults {
  readonly counts = new Map<Fault, number>();
  readonly #random: SeededRandom;
  readonly #jumps: SeededRandom | null;
  readonly #rates: ReadonlyMap<Fault, number>;
  readonly #isLeftOut: (number: number) => boolean;
  #drawn = 0;
  isOn: boolean = true;

  constructor({ random, jumps, isLeftOut }: FaultsOptions) {
    this.#random = random;
    this.#jumps = jumps;
    this.#isLeftOut = isLeftOut;
    const menu = FAULTS.filter(() => random.next() < 0.5);
    this.#rates = new Map(menu.map((fault) => [fault, 0.005 + 0.06 * random.next() ** 2]));
  }

  /** How many faults there were to choose from so far, left out or not. */
  get drawn(): number {
    return this.#drawn;
  }

  pick(): Fault | null {
    if (!this.isOn) return null;
    // The same number of draws for every call, so that leaving one out does not change the others.
    const dice = FAULTS.map((fault) => this.#random.next() < (this.#rates.get(fault) ?? 0));
    const fault = FAULTS[dice.indexOf(true)];
    if (fault === undefined || this.#isLeftOut(this.#drawn++)) return null;
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    return fault;
  }

  /** The new error of the actor's clock, now and then; null keeps the old one. */
  pickJump(): number | null {
    if (!this.isOn || this.#jumps === null || this.#jumps.next() > 0.01) return null;
    this.counts.set('clockJump', (this.counts.get('clockJump') ?? 0) + 1);
    return this.#jumps.pick(JUMPS_MS);
  }
}
