import type { Clock } from '../core/clock.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Attempt } from './attempt.ts';
import type { WakeSignal } from './wake-signal.ts';
import type { JobSource } from '../engine/source.ts';
import { beatOf } from './reports.ts';
import { isDroppable } from './unfit.ts';

export interface HeartbeatsOptions {
  readonly source: JobSource;
  readonly clock: Clock;
  readonly wakeSignal: WakeSignal;
  readonly log: EngineLog;
}

/** One beat for all jobs in flight: renews leases in batches, carries what handlers have said. */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  readonly #attempts: Set<Attempt> = new Set();
  #sending: Promise<void> | null = null;
  #isRunning = false;
  /** When the next look at all of them is due at the latest. */
  #wakeAt = -Infinity;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
  }

  add(attempts: readonly Attempt[]): void {
    let firstAt = Infinity;
    for (const attempt of attempts) {
      this.#attempts.add(attempt);
      firstAt = Math.min(firstAt, attempt.fence(), attempt.nextBeatAt);
    }
    this.lookBy(firstAt);
  }

  /** Who is due no sooner than others needs no wake-up of its own. */
  lookBy(at: number): void {
    if (at < this.#wakeAt) this.#options.wakeSignal.wake();
  }

  remove(attempt: Attempt): void {
    this.#attempts.delete(attempt);
  }

  async run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isRunning) {
      // Never without a pause: what is being ended needs the event loop for it.
      const sleepMs = Math.max(1, this.pass());
      this.#wakeAt = this.#options.clock.now() + sleepMs;
      await this.#options.wakeSignal.wait(sleepMs);
    }
  }

  stop(): void {
    this.#isRunning = false;
    this.#options.wakeSignal.wake();
  }

  /**
   * Fences what has run out of time, sends what is due and says how long to sleep. It waits for no
   * answer, so that a source that hangs cannot keep it from noticing a lost lease.
   */
  pass(): number {
    const now = this.#options.clock.now();
    let nextAt = Infinity;
    for (const attempt of this.#attempts) nextAt = Math.min(nextAt, attempt.fence());
    const living = [...this.#attempts].filter((attempt) => !attempt.isLost);
    if (this.#sending === null) {
      const due = living.filter((attempt) => attempt.nextBeatAt <= now);
      if (due.length > 0) this.#sending = this.#send(due);
      else for (const attempt of living) nextAt = Math.min(nextAt, attempt.nextBeatAt);
    }
    return Math.max(0, nextAt - now);
  }

  /** Someone waits for a write; what others say within this turn goes with it. */
  hurry(): void {
    queueMicrotask(() => this.pass());
  }

  /** Sends what is due, waits for the answer and says how long until the next is due. */
  async beat(): Promise<number> {
    await this.#sending;
    this.pass();
    await this.#sending;
    return this.pass();
  }

  async #send(attempts: readonly Attempt[]): Promise<void> {
    const { wakeSignal, log } = this.#options;
    try {
      await renewAll(this.#options, attempts);
    } catch (error) {
      log.warn('renewing leases failed; retrying', { error: String(error) });
    } finally {
      this.#sending = null;
      this.pass();
      wakeSignal.wake();
    }
  }
}

/** Renews in one call, with all that was said. Where the source throws, nothing said is lost. */
export async function renewAll(
  { source, clock, log }: Pick<HeartbeatsOptions, 'source' | 'clock' | 'log'>,
  attempts: readonly Attempt[],
): Promise<void> {
  const beatReports = attempts.flatMap((attempt) =>
    attempt.reports.take().map((beatReport) => ({ attempt, beatReport })),
  );
  const askedAt = clock.now();
  try {
    const beats = beatReports.map(({ attempt, beatReport }) => beatOf(attempt.held, beatReport));
    const results = await source.renew(beats);
    beatReports.forEach(({ attempt, beatReport }, index) => {
      const result = results[index]!;
      attempt.answered(beatReport, result, askedAt);
      if (result.kind === 'refused' && isDroppable(result.error) && beatReport.keep === null) {
        const facts = { jobId: attempt.claim.job.id, error: result.error.message };
        log.warn('a report was refused and is dropped; the lease is renewed without it', facts);
      }
    });
  } catch (error) {
    for (const { attempt, beatReport } of beatReports.toReversed()) attempt.unanswered(beatReport);
    throw error;
  }
}
