import type { Clock, Instant } from '../core/clock.ts';
import type { PawlError } from '../core/errors.ts';
import type { CancelWish, Job } from '../core/job.ts';
import { rowsOf } from '../core/lifecycle.ts';
import type { Claim } from '../engine/claim.ts';
import type { BeatResult, Ownership } from '../engine/owner.ts';
import type { Ending } from '../engine/settle.ts';
import type { ArtifactDraft, KeptArtifact, OpenedArtifact } from '../handler/artifact.ts';
import type { AttemptPort, Keep, Report } from '../handler/attempt-port.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { Outcome } from '../handler/execute.ts';
import type { JobStop } from '../handler/stop.ts';
import { type ArtifactDesk, AttemptArtifacts } from './attempt-artifacts.ts';
import { factsOf } from './attempt-facts.ts';
import { deadlineMs, renewAfter, timeToReport } from './attempt-times.ts';
import { endingOf } from './ending.ts';
import type { Execution, Launch } from './isolate/execution.ts';
import { type Parcel, Reports } from './reports.ts';
import {
  attemptTooLong,
  closedStop,
  hardCancel,
  jobTooLong,
  leaseStop,
  softCancel,
} from './stops.ts';

export interface AttemptOptions {
  readonly claim: Claim;
  readonly job: JobDefinition;
  readonly clock: Clock;
  /** When the claim was asked for: the lease cannot have begun earlier. */
  readonly askedAt: number;
  readonly artifacts: ArtifactDesk | null;
  /** How soon news is sent, at the latest. */
  readonly reportMs: number;
  /** Called when someone waits for a write. */
  readonly onUrgent: () => void;
  /** Called when there is something to send, with the time by which it should be sent. */
  readonly onNews: (at: number) => void;
}

/**
 * One claimed job in a worker's hands.
 *
 * Modes: *held* until `run`; *running* while its handler works; *ended* when the handler has, or
 * was made to; *closed* when the end is reported, or there is nothing to report. Until it is
 * closed its lease is renewed. Times are monotonic: from `deadlineAt` on the job may be another
 * worker's, so nothing is written any more.
 */
export class Attempt implements AttemptPort {
  readonly claim: Claim;
  readonly job: JobDefinition;
  readonly startBy: number;
  readonly #clock: Clock;
  readonly #reportMs: number;
  readonly #onUrgent: () => void;
  readonly #onNews: (at: number) => void;
  readonly #desk: ArtifactDesk | null;
  // Made for the first word and the first artifact: most attempts have none.
  #reports: Reports | null = null;
  #artifacts: AttemptArtifacts | null = null;
  /** Ends the wait for the handler. */
  #giveUp: ((outcome: Outcome) => void) | null = null;
  #row: Job;
  #execution: Execution | null = null;
  #stop: JobStop | null = null;
  #isForced = false;
  #isEnded = false;
  #hasReturned = false;
  #isLost = false;
  #deadlineAt: number;
  #renewAt: number;
  #beatAt: number;
  /** After a renewal that nobody answered: not before. */
  #retryAt = -Infinity;
  /** When the job as a whole, and this attempt of it, will have taken too long. */
  readonly #jobEndsAt: number;
  readonly #attemptEndsAt: number;

  constructor(options: AttemptOptions) {
    const { claim, job, clock, askedAt } = options;
    this.claim = claim;
    this.job = job;
    this.#clock = clock;
    this.#reportMs = options.reportMs;
    this.#onUrgent = options.onUrgent;
    this.#onNews = options.onNews;
    this.#row = claim.job;
    this.#desk = options.artifacts;
    this.#deadlineAt = askedAt + claim.leaseMs;
    this.#renewAt = this.startBy = askedAt + renewAfter(claim, claim.leaseMs);
    this.#beatAt = askedAt;
    this.#jobEndsAt = askedAt + timeToReport(deadlineMs(claim));
    this.#attemptEndsAt = askedAt + timeToReport(claim.policy.timeoutMs ?? Infinity);
  }

  get held(): Ownership {
    const { tenant, id, epoch, owner } = this.claim.job;
    return { ref: { tenant, id }, owner: owner!, epoch, known: this.#row };
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What its handler has said and nobody was told yet. */
  get reports(): Reports {
    return (this.#reports ??= new Reports());
  }

  get hasNews(): boolean {
    return this.#reports !== null && this.#reports.hasNews;
  }

  /** True once its job may be someone else's: then it has nothing to say any more. */
  get isLost(): boolean {
    this.#isLost ||= this.#clock.now() >= this.#deadlineAt;
    return this.#isLost;
  }

  /** The job's row after `start`, known without reading it. */
  started(at: Instant | null): void {
    const { job } = this.claim;
    const place = rowsOf(this.job.lifecycle, 'start', job)[0]?.to;
    if (place === undefined) return;
    const startedAt = job.startedAt ?? at;
    this.#row = { ...this.#row, ...place, version: job.version + 1, startedAt };
  }

  /** Runs the handler to its end, whichever that is; null where there is nothing to report. */
  run(launch: (launch: Launch) => Execution): Promise<Ending | null> {
    if (this.#stop !== null) return Promise.resolve(this.#end(stopped));
    return this.#perform(launch).then((outcome) => this.#end(outcome));
  }

  /** Resolves with the handler's outcome, or without waiting for it. */
  #perform(launch: (launch: Launch) => Execution): Promise<Outcome> {
    const { job, claim } = this;
    try {
      const execution = launch({ job, facts: factsOf(claim), port: this });
      this.#execution = execution;
      return new Promise((resolve) => {
        this.#giveUp = resolve;
        void execution.outcome.then((outcome) => this.#returned(outcome));
      });
    } catch (error) {
      const failure = { class: 'handler_crashed', message: `it could not begin: ${String(error)}` };
      return Promise.resolve({ kind: 'fail', error: failure, deadLetter: null });
    }
  }

  #end(outcome: Outcome): Ending | null | Promise<Ending | null> {
    this.#isEnded = true;
    this.#artifacts?.end(this.#reason);
    const gone = this.#execution?.end() ?? null;
    // Until its end is reported it holds no more of its handler than it must.
    this.#giveUp = null;
    if (this.#hasReturned) this.#execution = null;
    const told = (): Ending | null => (this.isLost ? null : endingOf(outcome, this.#stop));
    return gone === null ? told() : gone.then(told);
  }

  #returned(outcome: Outcome): void {
    this.#hasReturned = true;
    this.#giveUp?.(outcome);
  }

  /** RequireJson to who comes too late; made only then, for an error is dear. */
  get #reason(): () => JobStop {
    return () => this.#stop ?? closedStop();
  }

  /** Resolves when an inline handler ends that goes on after its attempt; null if none does. */
  get stray(): Promise<unknown> | null {
    if (this.#execution === null || this.#hasReturned) return null;
    return this.job.isolation.kind === 'inline' ? this.#execution.outcome : null;
  }

  tell(report: Report): void {
    if (this.#isEnded) return;
    if (report.stage !== undefined) this.#row = { ...this.#row, stage: report.stage };
    const hadNews = this.hasNews;
    this.reports.tell(report);
    if (!hadNews) this.#onNews(this.nextBeatAt);
  }

  async keep(write: Keep): Promise<void> {
    this.#checkHeld();
    const durable = this.reports.keep(write);
    this.#onUrgent();
    return durable;
  }

  async putArtifact(artifact: ArtifactDraft): Promise<KeptArtifact> {
    this.#checkHeld();
    return this.#ownArtifacts.put(artifact);
  }

  async openArtifact(id: string): Promise<OpenedArtifact> {
    this.#checkHeld();
    return this.#ownArtifacts.open(id);
  }

  get #ownArtifacts(): AttemptArtifacts {
    if (this.#artifacts !== null) return this.#artifacts;
    this.#artifacts = new AttemptArtifacts({
      desk: this.#desk,
      held: () => this.held,
      onLost: (error) => this.#lose(error),
    });
    if (this.#isForced) this.#artifacts.end(this.#reason);
    return this.#artifacts;
  }

  #checkHeld(): void {
    // The handler of a worker that just woke up may ask before the next look at the clock is due.
    if (this.isLost) this.fence();
    if (this.isLost || this.#isEnded) throw this.#reason();
  }

  /** Aborts the handler's signal. Forced: goes on without waiting for what it does then. */
  stop(stop: JobStop, options: { isForced: boolean }): void {
    if (this.#isEnded || (this.#stop !== null && !options.isForced)) return;
    this.#stop = stop;
    this.#execution?.stop(stop);
    if (!options.isForced) return;
    this.#isForced = true;
    this.reports.close(this.#reason);
    this.#artifacts?.end(this.#reason);
    this.#giveUp?.(stopped);
  }

  /** Ends what has run out of time by now, and says when to look again. */
  fence(): number {
    const now = this.#clock.now();
    if (this.isLost) this.stop(leaseStop('the lease was not renewed in time'), FORCED);
    else if (now >= this.#jobEndsAt) this.stop(jobTooLong(), FORCED);
    else if (now >= this.#attemptEndsAt) this.stop(attemptTooLong(), FORCED);
    if (this.isLost) return Infinity;
    if (this.#isEnded || this.#isForced) return this.#deadlineAt;
    return Math.min(this.#deadlineAt, this.#jobEndsAt, this.#attemptEndsAt);
  }

  /** When its next beat is due; now, if someone waits. */
  get nextBeatAt(): number {
    if (!this.hasNews) return Math.max(this.#retryAt, this.#renewAt);
    if (this.reports.isUrgent) return this.#retryAt;
    return Math.max(this.#retryAt, Math.min(this.#renewAt, this.#beatAt + this.#reportMs));
  }

  /** Renews at the next chance, to hear whether someone asked for its end. */
  hurry(): void {
    this.#renewAt = -Infinity;
  }

  answered(parcel: Parcel, result: BeatResult, askedAt: number): void {
    if (result.kind === 'refused') {
      const stop = this.#lose(result.error);
      parcel.keep?.durable.reject(stop);
      return;
    }
    const leftMs = result.leaseExpiry - result.at;
    this.#beatAt = askedAt;
    this.#deadlineAt = askedAt + leftMs;
    this.#renewAt = askedAt + renewAfter(this.claim, leftMs);
    parcel.keep?.durable.resolve();
    if (result.cancel !== null) this.#softCancel(result.cancel);
  }

  unanswered(parcel: Parcel): void {
    this.reports.putBack(parcel);
    this.#retryAt = this.#clock.now() + Math.min(RETRY_MS, this.claim.renewInMs / 4);
  }

  close(): void {
    this.#isEnded = true;
    this.#reports?.close(this.#reason);
  }

  /** The job is not this worker's any more, says the platform. */
  #lose({ message, details }: PawlError): JobStop {
    const stop = details['phase'] === 'cancelled' ? hardCancel() : leaseStop(message);
    this.#isLost = true;
    this.stop(stop, FORCED);
    return stop;
  }

  #softCancel(cancel: CancelWish): void {
    this.#row = { ...this.#row, cancel };
    this.stop(softCancel(cancel), { isForced: false });
  }
}

const RETRY_MS = 500;
const FORCED = { isForced: true };
const stopped: Outcome = { kind: 'stopped' };
