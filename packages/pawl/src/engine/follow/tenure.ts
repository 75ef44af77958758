import type { Clock, Instant } from '../../core/clock.ts';
import type { Timers } from '../../core/timers.ts';
import type {
  FollowerChange,
  FollowerRecord,
  Followers,
  FollowerTaken,
  FollowerWish,
} from '../../records/followers.ts';

export interface TenureOptions {
  readonly followers: Followers;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly wish: Omit<FollowerWish, 'start'>;
  /** Where a follower begins that is new. */
  readonly start: () => Promise<string | null>;
}

/** How many renewals in a row may go unanswered before the owner must think itself dispossessed. */
const MISSES_MAX = 2;

/**
 * One process's hold on a follower. Modes: *without* until `take` succeeds, and again when a write
 * finds that somebody else has it; *holding* else. The database alone says who holds it.
 */
export class Tenure {
  readonly #options: TenureOptions;
  #start: string | null | undefined;
  #held: { record: FollowerRecord; sureSince: Instant } | null = null;

  constructor(options: TenureOptions) {
    this.#options = options;
  }

  get record(): FollowerRecord | null {
    return this.#held?.record ?? null;
  }

  /** Whether a third of the lease has not passed yet, a process asleep in between included. */
  isFresh(): boolean {
    if (this.#held === null) return false;
    const ageMs = this.#options.clock.now() - this.#held.sureSince;
    return ageMs >= 0 && ageMs < this.#options.wish.leaseMs / 3;
  }

  async take(): Promise<FollowerTaken> {
    const { followers, wish, start, clock } = this.#options;
    this.#start ??= await start();
    const sureSince = clock.now();
    const taken = await followers.take({ ...wish, start: this.#start });
    this.#held = taken.isTaken ? { record: taken.record, sureSince } : null;
    return taken;
  }

  /** False: it was another's, and nothing was written. */
  async move(change: FollowerChange): Promise<boolean> {
    if (this.#held === null) return false;
    const { followers, wish, clock } = this.#options;
    const { name, owner, leaseMs } = wish;
    const sureSince = clock.now();
    const from = this.#held.record.position;
    const record = await followers.move({ name, owner, leaseMs, from, change });
    this.#held = record === null ? null : { record, sureSince };
    return record !== null;
  }

  async release(): Promise<void> {
    if (await this.move({ kind: 'release' })) this.#held = null;
  }

  /** Keeps the hold while something is done, and aborts that when the hold is gone. */
  async during(
    stop: AbortSignal,
    body: (signal: AbortSignal) => Promise<void> | void,
  ): Promise<void> {
    const ended = new AbortController();
    const lost = new AbortController();
    const keeping = this.#keep(ended.signal, lost);
    try {
      await body(AbortSignal.any([stop, lost.signal]));
    } finally {
      ended.abort();
      await keeping;
    }
  }

  async #keep(ended: AbortSignal, lost: AbortController): Promise<void> {
    const { timers, wish } = this.#options;
    for (let misses = 0; misses < MISSES_MAX;) {
      await timers.sleep(wish.leaseMs / 3, ended);
      if (ended.aborted) return;
      try {
        if (!(await this.take()).isTaken) break;
        misses = 0;
      } catch {
        misses += 1;
      }
    }
    lost.abort(new Error(`"${wish.name}" may be followed by another process by now: stop`));
  }
}
