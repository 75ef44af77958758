import type { Instant } from '../../core/clock.ts';
import type { Timers } from '../../core/timers.ts';
import { StoreError } from '../../store/store-error.ts';
import type { EngineContext } from '../context.ts';
import type { RetentionPolicy } from '../retention/policy.ts';
import type { ReprocessRule } from '../retention/reprocess-rule.ts';
import { sweepOperations } from '../operations/run.ts';
import { sweepWatermarks } from '../limits/watermarks.ts';
import { sweepDeadlines } from './deadlines.ts';
import { sweepDue } from './due.ts';
import { DueAlarm } from './due-alarm.ts';
import { ChecksumSweep } from './checksums.ts';
import { Duties, type Duty, type DutyFailure, type DutyStatus } from './duties.ts';
import { type Outage, sweepExpired } from './expired.ts';
import { LimitSweep } from './limits.ts';
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

/** What a round has done; null where a duty failed. */
export interface SweepReport {
  /** Jobs that schedules have made. */
  readonly scheduled: number | null;
  readonly due: number | null;
  /** Without those that are left alone after an outage. */
  readonly expired: number | null;
  /** Jobs ended by their own deadline. */
  readonly overdue: number | null;
  readonly failed: readonly DutyFailure[];
}

/**
 * The periodic duty over schedules, due jobs, deadlines, expired leases and limits.
 *
 * After it could not reach the store, or was itself asleep for longer than a few periods, owners
 * could not renew either: leases that ran out then are treated as `sweepExpired` says, while due
 * jobs are let in as ever. Between the rounds an alarm lets in what becomes due meanwhile.
 */
export class Sweeper {
  readonly #context: EngineContext;
  readonly #everyMs: number;
  readonly #periodic: Periodic;
  readonly #alarm: DueAlarm;
  readonly #duties: Duties;
  readonly #limits: LimitSweep;
  readonly #retention: RetentionSweep;
  readonly #reprocess: ReprocessSweep;
  readonly #checksums: ChecksumSweep;
  /** When the store could last be written to. */
  #seenAt: Instant | null = null;
  #isAway = false;
  #outage: Outage | null = null;

  constructor(context: EngineContext, options: SweeperOptions) {
    this.#context = context;
    this.#everyMs = options.everyMs ?? 1_000;
    this.#periodic = new Periodic({
      timers: options.timers,
      everyMs: this.#everyMs,
      round: () => this.runOnce(),
      onFailure: (error) =>
        context.log.warn('a sweep could not reach the store; retrying', { error: String(error) }),
    });
    this.#alarm = new DueAlarm(context, { timers: options.timers, everyMs: this.#everyMs });
    this.#duties = new Duties(context.log);
    this.#limits = new LimitSweep(context);
    this.#retention = new RetentionSweep(context, options.retention);
    this.#reprocess = new ReprocessSweep(context, options.reprocess);
    this.#checksums = new ChecksumSweep(context);
    context.store.logChanges?.listen(() => (this.#isAway = true));
  }

  /** How each duty fares in this process. */
  get duties(): readonly DutyStatus[] {
    return this.#duties.statuses;
  }

  /** One round, by the database's clock. Throws only if not even the time can be read. */
  async runOnce(): Promise<SweepReport> {
    const now = await this.#now();
    if (this.#seenAt === null) await this.#recallOutage();
    this.#noticeOutage(now);
    const outage = this.#outage;
    const failed: DutyFailure[] = [];
    const attend = <Answer>(duty: Duty, body: () => Promise<Answer | null>) =>
      this.#duties.attend({ duty, now, failed }, body);
    const context = this.#context;
    const scheduled = await attend('schedules', () => sweepSchedules(context));
    const due = await attend('due', () => sweepDue(context));
    // First, so that a job whose time is up fails for that reason rather than for its lost lease.
    const overdue = await attend('deadlines', () => sweepDeadlines(context));
    const round = outage === null ? null : { now, outage };
    const expired = await attend('leases', () => sweepExpired(context, round));
    await attend('watermarks', () => sweepWatermarks(context));
    await attend('throttles', () => this.#limits.judgeWhenDue(now, outage));
    await attend('limits', () => this.#limits.trimWhenDue(now));
    await attend('reprocess', () => this.#reprocess.runOnce());
    await attend('operations', () => sweepOperations(context));
    await attend('retention', () => this.#retention.runWhenDue(now));
    await attend('checksums', () => this.#checksums.runWhenDue(now));
    // Letting due jobs in is a write that every round makes: while the store cannot do that, owners
    // cannot renew either. What fails for another reason must not hold leases up.
    this.#isAway = failed.some(({ duty, error }) => duty === 'due' && isOutage(error));
    if (!this.#isAway) this.#seenAt = now;
    return { scheduled, due, expired, overdue, failed };
  }

  async #now(): Promise<Instant> {
    try {
      return await this.#context.store.now();
    } catch (error) {
      this.#isAway = true;
      throw error;
    }
  }

  /** What was before this process: nobody could renew a lease until the database came back. */
  async #recallOutage(): Promise<void> {
    const until = (await this.#context.store.logChanges?.backSince()) ?? null;
    if (until !== null) this.#outage = { from: -Infinity, until };
  }

  /** It lasts until a round reaches the store again; a later one replaces it. */
  #noticeOutage(now: Instant): void {
    if (this.#seenAt === null) return;
    const isAsleep = now - this.#seenAt > 5 * this.#everyMs + 1_000;
    if (this.#isAway || isAsleep) this.#outage = { from: this.#seenAt, until: now };
  }

  start(): void {
    this.#periodic.start();
    this.#alarm.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#periodic.stop(), this.#alarm.stop()]);
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof StoreError && error.outcome !== 'refused';
}
