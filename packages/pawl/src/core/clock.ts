/** Milliseconds since 1970, UTC. */
export type Instant = number;

/** The source of time. Core and engine read no other clock. */
export interface Clock {
  now(): Instant;
}

/** The clock of this machine. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that moves only when told to: what tests and the simulator pass in. */
export class ManualClock implements Clock {
  #now: Instant;

  constructor(startAt: Instant = Date.UTC(2026, 0, 1)) {
    this.#now = startAt;
  }

  now(): Instant {
    return this.#now;
  }

  advance(ms: number): Instant {
    this.#now += ms;
    return this.#now;
  }
}
