import type { Timers } from '../../core/timers.ts';
import type { EngineContext } from '../context.ts';
import type { RetentionPolicy } from '../retention/policy.ts';
import type { ReprocessRule } from '../retention/reprocess-rule.ts';
import { sweepWatermarks } from '../limits/watermarks.ts';
import { sweepDeadlines } from './deadlines.ts';
import { sweepDue } from './due.ts';
import { sweepExpired } from './expired.ts';
import { Periodic } from './periodic.ts';
import { ReprocessSweep } from './reprocess.ts';
import { RetentionSweep } from './retention.ts';
import { sweepSchedules } from './schedules.ts';

export interface SweeperOptions {
  readonly timers: Timers;
  readonly everyMs?: number;
  readonly retention?: Partial<RetentionPolicy>;
  /** Left out: dead letters wait for a person. */
  readonly reprocess?: readonly ReprocessRule[];
}

export interface SweepReport {
  /** Jobs that schedules have made. */
  readonly scheduled: number;
  readonly due: number;
  /** Null while leases are left alone after an outage. */
  readonly expired: number | null;
  /** Jobs ended by their own deadline. */
  readonly overdue: number;
}

/**
 * The periodic duty over schedules, due jobs, deadlines and expired leases.
 *
 * Modes: *stopped* until `start`; *sweeping*; *holding back* after it could not reach the store,
 * or was itself asleep, for longer than a few periods: owners could not renew then either, so
 * expired leases are left alone for one full lease window, while due jobs are let in as ever.
 */
export class Sweeper {
  readonly #context: EngineContext;
  readonly #everyMs: number;
  readonly #periodic: Periodic;
  readonly #retention: RetentionSweep;
  readonly #reprocess: ReprocessSweep;
  #seenAt: number | null = null;
  #holdUntil = 0;

  constructor(context: EngineContext, options: SweeperOptions) {
    this.#context = context;
    this.#everyMs = options.everyMs ?? 1_000;
    this.#periodic = new Periodic({
      timers: options.timers,
      everyMs: this.#everyMs,
      round: () => this.runOnce(),
      onFailure: (error) =>
        context.log.warn('a sweep failed and will be tried again', { error: String(error) }),
    });
    this.#retention = new RetentionSweep(context, options.retention);
    this.#reprocess = new ReprocessSweep(context, options.reprocess);
  }

  /** One round, by the database's clock. Throws what the store throws. */
  async runOnce(): Promise<SweepReport> {
    const now = await this.#context.store.now();
    const gapMs = this.#seenAt === null ? 0 : now - this.#seenAt;
    if (gapMs > 5 * this.#everyMs + 1_000) {
      this.#holdUntil = now + this.#context.registry.longestLeaseWindowMs();
    }
    const scheduled = await sweepSchedules(this.#context);
    const due = await sweepDue(this.#context);
    // First, so that a job whose time is up fails for that reason rather than for its lost lease.
    const overdue = await sweepDeadlines(this.#context);
    const expired = now < this.#holdUntil ? null : await sweepExpired(this.#context);
    await sweepWatermarks(this.#context);
    await this.#reprocess.runOnce();
    await this.#retention.runWhenDue(now);
    this.#seenAt = now;
    return { scheduled, due, expired, overdue };
  }

  start(): void {
    this.#periodic.start();
  }

  stop(): Promise<void> {
    return this.#periodic.stop();
  }
}
