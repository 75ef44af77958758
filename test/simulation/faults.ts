// What goes wrong in a run: each seed switches on its own part of the menu.
import type { SeededRandom } from '../../src/core/random.ts';

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

export type Fault = (typeof FAULTS)[number];

/** Chooses faults by seed. Each has a number, by which a shrunk run leaves it out. */
export class Faults {
  readonly counts = new Map<Fault, number>();
  readonly #random: SeededRandom;
  readonly #rates: ReadonlyMap<Fault, number>;
  readonly #isLeftOut: (number: number) => boolean;
  #drawn = 0;
  isOn: boolean = true;

  constructor(random: SeededRandom, isLeftOut: (number: number) => boolean) {
    this.#random = random;
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
}
