import type { Instant } from '../../core/clock.ts';
import type { EngineContext } from '../context.ts';
import type { Outage } from './expired.ts';
import { sweepThrottles } from './throttles.ts';

const THROTTLES_EVERY_MS = 5_000;
/**
 * For so long after an outage types are not judged, and what happened before is never counted: what
 * failed says nothing about them, and so few are in flight that half of them would be none.
 */
const SETTLED_MS = 10_000;
const TRIM_EVERY_MS = 60_000;
/** So many limiters are looked at in one go, and so many times in a row. */
const SLICE = 500;
const SLICES_MAX = 10;

/**
 * Limits at a pace of their own: types that fail are slowed down or let go every few seconds, and
 * what nobody needs any more (old counts, limiters that are full again) is forgotten every minute.
 */
export class LimitSweep {
  readonly #context: EngineContext;
  #judgeAt: Instant | null = null;
  #trimAt: Instant | null = null;
  #after: string | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Null: not yet. */
  async judgeWhenDue(now: Instant, outage: Outage | null = null): Promise<number | null> {
    if (now < (this.#judgeAt ??= now)) return null;
    this.#judgeAt = now + THROTTLES_EVERY_MS;
    const since = outage === null ? -Infinity : outage.until + SETTLED_MS;
    return since > now ? 0 : sweepThrottles(this.#context, since);
  }

  /** Null: not yet. */
  async trimWhenDue(now: Instant): Promise<number | null> {
    if (now < (this.#trimAt ??= now + TRIM_EVERY_MS)) return null;
    this.#trimAt = now + TRIM_EVERY_MS;
    return this.trim();
  }

  /** Goes on where the last look ended; says how many limiters went. */
  async trim(): Promise<number> {
    const { control } = this.#context.store;
    let total = 0;
    for (let slice = 0; slice < SLICES_MAX; slice++) {
      const { trimmed, next } = await control.trimRates({ after: this.#after, limit: SLICE });
      total += trimmed;
      this.#after = next;
      if (next === null) break;
    }
    return total;
  }
}
