import type { Clock } from '../core/clock.ts';
import type { Timers } from '../core/timers.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Ending } from '../engine/settle.ts';
import type { Attempt } from './attempt.ts';
import { renewAll } from './heart.ts';
import type { JobSource, SourceOutcome } from './job-source.ts';

export interface SettlerOptions {
  readonly source: JobSource;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: EngineLog;
  /** The attempt is closed, whether its end was accepted or not. */
  readonly onClosed: (attempt: Attempt) => void;
}

interface Report {
  readonly attempt: Attempt;
  readonly ending: Ending;
}

const RETRY_MS = 200;

/** Reports ends: what comes in while one report is on its way makes up the next one. */
export class Settler {
  readonly #options: SettlerOptions;
  #queue: Report[] = [];
  #isSending = false;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  push(attempt: Attempt, ending: Ending): void {
    this.#queue.push({ attempt, ending });
    if (this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => void this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0);
      const mine = batch.filter((report) => this.#isOurs(report));
      try {
        await this.#send(mine);
      } catch (error) {
        // Reporting the same end twice changes nothing, so an unknown outcome is asked again.
        this.#options.log.warn('ends could not be reported; trying again', {
          error: String(error),
        });
        this.#queue.unshift(...mine);
        await this.#options.timers.sleep(RETRY_MS, new AbortController().signal);
      }
    }
    this.#isSending = false;
  }

  /** A job that may be someone else's is not reported on. */
  #isOurs({ attempt, ending }: Report): boolean {
    if (!attempt.isLost) return true;
    const facts = { jobId: attempt.claim.job.id, ending: ending.kind };
    this.#options.log.warn('the lease was lost before the end could be reported', facts);
    this.#options.onClosed(attempt);
    return false;
  }

  async #send(batch: readonly Report[]): Promise<void> {
    if (batch.length === 0) return;
    const { source } = this.#options;
    // The last words come first: after its end a job takes no notes from its owner.
    const speakers = batch.filter(({ attempt }) => attempt.reports.hasNews);
    if (speakers.length > 0) {
      const attempts = speakers.map(({ attempt }) => attempt);
      await renewAll(source, this.#options.clock, attempts);
    }
    const settlements = batch.map(({ attempt, ending }) => ({ ...attempt.held, ending }));
    const outcomes = await source.settle(settlements);
    batch.forEach((report, index) => this.#settled(report, outcomes[index]!));
  }

  #settled(report: Report, outcome: SourceOutcome): void {
    const { attempt, ending } = report;
    if (outcome.kind === 'refused') {
      const { code, message } = outcome.error;
      this.#options.log.warn('the end of an attempt was refused', {
        jobId: attempt.claim.job.id,
        ending: ending.kind,
        code,
        message,
      });
      if (code === 'ILLEGAL_TRANSITION' && ending.kind !== 'fail') {
        const error = { class: 'configuration_error', message };
        this.#queue.push({ attempt, ending: { kind: 'fail', error } });
        return;
      }
    }
    this.#options.onClosed(attempt);
  }
}
