import type { Clock } from '../core/clock.ts';
import { isPawlError } from '../core/errors.ts';
import type { Timers } from '../core/timers.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Claim, ClaimOptions } from '../engine/claim.ts';
import type { Ending } from '../core/ending.ts';
import type { Settlement } from '../engine/settle.ts';
import type { Attempt } from './attempt.ts';
import { canBeUndone } from './ending.ts';
import { renewAll } from './heartbeats.ts';
import type { JobSource, SourceOutcome } from '../engine/source.ts';
import { isUnfit } from './unfit.ts';

/** A claim that is made in the same call as a report. */
export interface ClaimBeside {
  readonly options: ClaimOptions;
  readonly won: (claims: readonly Claim[]) => void;
  readonly lost: (error: unknown) => void;
}

export interface SettlerOptions {
  readonly source: JobSource;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: EngineLog;
  /** The attempt is closed, whether its end was accepted or not. */
  readonly onClosed: (attempt: Attempt) => void;
  /** What to claim in the same call as so many ends; null: nothing. */
  readonly claimBeside: (ends: number) => ClaimBeside | null;
}

interface Report {
  readonly attempt: Attempt;
  readonly ending: Ending;
}

const RETRY_MS = 200;

/** The failure of an attempt whose own end was refused. */
function unfitEnding(error: Error): Ending {
  const errorClass = isUnfit(error) ? 'internal_bug' : 'configuration_error';
  const code = isPawlError(error) ? { code: error.code } : {};
  return { kind: 'fail', error: { class: errorClass, message: error.message, ...code } };
}

/** A failure of which something was refused, told by what nobody refuses; null if it was that. */
function briefly(ending: Extract<Ending, { kind: 'fail' }>, error: Error): Ending | null {
  const { class: errorClass, message, code = null, stage = null, ...more } = ending.error;
  if (!isUnfit(error) || Object.keys(more).length === 0) return null;
  const { deadLetter = null } = ending;
  return { kind: 'fail', error: { class: errorClass, message, code, stage }, deadLetter };
}

/** Reports ends: what comes in while one report is on its way makes up the next one. */
export class Settler {
  readonly #options: SettlerOptions;
  #queue: Report[] = [];
  #isSending = false;
  #unsettled = 0;
  #leaving: PromiseWithResolvers<void> | null = null;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** How many ends were not yet accepted, refused or given up. */
  get unsettled(): number {
    return this.#unsettled;
  }

  /**
   * Resolves once the ends that wait are on their way, with a claim or without one: within a turn.
   * Null where none wait, or for the answer to those before them, and where none takes a claim.
   */
  get leaving(): Promise<void> | null {
    const isAlone = this.#options.source.settleAndClaim === undefined;
    return isAlone || this.#leaving === null ? null : this.#leaving.promise;
  }

  push(attempt: Attempt, ending: Ending): void {
    this.#unsettled += 1;
    this.#queue.push({ attempt, ending });
    if (this.#isSending) return;
    this.#isSending = true;
    this.#leaving = Promise.withResolvers();
    queueMicrotask(() => void this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#leaving ??= Promise.withResolvers();
      // A rejection that nobody handles is known by the next turn, and undoes a success.
      if (this.#queue.some(({ ending }) => canBeUndone(ending)))
        await this.#options.timers.turn?.();
      const batch = this.#takeAll();
      const sent = this.#trySend(batch, this.#claimBeside(batch));
      this.#leaving.resolve();
      this.#leaving = null;
      const failed = await sent;
      if (failed === null) continue;
      if (isUnfit(failed)) await this.#sendOneByOne(batch);
      else await this.#putBack(batch, failed);
    }
    this.#isSending = false;
  }

  /** What is still ours to report, as it is reported from now on for good. */
  #takeAll(): Report[] {
    const batch: Report[] = [];
    for (const report of this.#queue.splice(0)) {
      if (!this.#isOurs(report)) continue;
      const ending = report.attempt.reported(report.ending);
      batch.push(ending === report.ending ? report : { attempt: report.attempt, ending });
    }
    return batch;
  }

  /** Last words are sent before their end, and no claim should wait for that. */
  #claimBeside(batch: readonly Report[]): ClaimBeside | null {
    const { source, claimBeside } = this.#options;
    if (source.settleAndClaim === undefined || batch.length === 0) return null;
    return batch.some(({ attempt }) => attempt.hasNews) ? null : claimBeside(batch.length);
  }

  /** Null, or why nobody knows whether the reports have arrived. */
  async #trySend(
    batch: readonly Report[],
    beside: ClaimBeside | null = null,
  ): Promise<Error | null> {
    try {
      await this.#send(batch, beside);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** One of them cannot be stored: the others must not wait for it until their leases are lost. */
  async #sendOneByOne(batch: readonly Report[]): Promise<void> {
    for (const report of batch) {
      const failed = await this.#trySend([report]);
      if (failed === null) continue;
      if (isUnfit(failed)) this.#unacceptable(report, failed);
      else await this.#putBack([report], failed);
    }
  }

  /** Reporting the same end twice changes nothing, so an unknown outcome is asked again. */
  async #putBack(batch: readonly Report[], { message }: Error): Promise<void> {
    this.#options.log.warn('reporting results failed; retrying', { error: message });
    this.#queue.unshift(...batch);
    await this.#options.timers.sleep(RETRY_MS, new AbortController().signal);
  }

  /** A job that may be someone else's is not reported on. */
  #isOurs({ attempt, ending }: Report): boolean {
    if (!attempt.isLost) return true;
    const facts = { jobId: attempt.claim.job.id, ending: ending.kind };
    this.#options.log.warn('the lease was lost before the result could be reported', facts);
    this.#close(attempt);
    return false;
  }

  async #send(batch: readonly Report[], beside: ClaimBeside | null): Promise<void> {
    if (batch.length === 0) return;
    // The last words come first: after its end a job takes no notes from its owner.
    const speakers = batch.filter(({ attempt }) => attempt.hasNews);
    if (speakers.length > 0) {
      const attempts = speakers.map(({ attempt }) => attempt);
      await renewAll(this.#options, attempts);
    }
    const settlements = batch.map(({ attempt, ending }) => ({ ...attempt.held, ending }));
    const outcomes = await this.#settle(settlements, beside);
    batch.forEach((report, index) => this.#settled(report, outcomes[index]!));
  }

  async #settle(
    settlements: readonly Settlement[],
    beside: ClaimBeside | null,
  ): Promise<readonly SourceOutcome[]> {
    const { source } = this.#options;
    if (beside === null) return source.settle(settlements);
    const { outcomes, claims } = await source.settleAndClaim!(settlements, beside.options).catch(
      (error: unknown) => {
        beside.lost(error);
        throw error;
      },
    );
    // Whoever looks for work now may go along with the ends that came in meanwhile.
    if (this.#queue.length > 0) this.#leaving ??= Promise.withResolvers();
    beside.won(claims);
    return outcomes;
  }

  #settled(report: Report, outcome: SourceOutcome): void {
    if (outcome.kind !== 'refused') return this.#close(report.attempt);
    const { error } = outcome;
    if (error.code === 'ILLEGAL_TRANSITION' || isUnfit(error)) this.#unacceptable(report, error);
    else this.#refused(report, error);
  }

  /** What cannot be the end of this job is told as its failure, so that it has one. */
  #unacceptable(report: Report, error: Error): void {
    const { attempt, ending } = report;
    const retold = ending.kind === 'fail' ? briefly(ending, error) : unfitEnding(error);
    if (retold === null) return this.#refused(report, error);
    this.#warn(report, error);
    this.#queue.push({ attempt, ending: retold });
  }

  #refused(report: Report, error: Error): void {
    this.#warn(report, error);
    this.#close(report.attempt);
  }

  #warn({ attempt, ending }: Report, error: Error): void {
    this.#options.log.warn('the result of an attempt was refused', {
      jobId: attempt.claim.job.id,
      ending: ending.kind,
      code: isPawlError(error) ? error.code : error.name,
      message: error.message,
    });
  }

  #close(attempt: Attempt): void {
    this.#unsettled -= 1;
    this.#options.onClosed(attempt);
  }
}
