import type { Instant } from '../core/clock.ts';
import type { PawlError } from '../core/errors.ts';
import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { Job } from '../core/job.ts';
import type { Claim } from '../engine/claim.ts';
import type { BeatResult, Ownership } from '../engine/owner.ts';
import type { Ending } from '../core/ending.ts';
import type { ArtifactDraft, KeptArtifact, OpenedArtifact } from '../handler/artifact.ts';
import type { AttemptPort, Keep, Report } from '../handler/attempt-port.ts';
import type { BatchPlan } from '../handler/batch.ts';
import type { Joined } from '../handler/batch-run.ts';
import type { RunContext } from '../handler/context.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { Outcome } from '../handler/execute.ts';
import { failureFromRefusal } from '../handler/json.ts';
import type { JobStop } from '../handler/stop.ts';
import { AttemptArtifacts } from './attempt-artifacts.ts';
import { askFlow } from './attempt-flow.ts';
import type { AttemptOptions, AttemptParts } from './attempt-options.ts';
import { factsOf, heldBy, startedRow } from './attempt-facts.ts';
import { AttemptTimes } from './attempt-times.ts';
import { endingOf, NO_PROGRESS, notBegun, undoneBy } from './ending.ts';
import type { Execution, Launch } from './isolate/execution.ts';
import { KeptProgress } from './kept-progress.ts';
import { type BeatReport, Reports } from './reports.ts';
import { brokenStop, closedStop, leaseStop, refusalStop, softCancel } from './stops.ts';
import { isDroppable } from './unfit.ts';

/**
 * One claimed job in a worker's hands. Modes: *held* until `run`; *running* while its handler
 * works; *ended* when the handler has, or was made to; *closed* when the end is reported, or there
 * is nothing to report. Until it is closed its lease is renewed. Times are monotonic: from
 * `deadlineAt` on the job may be another worker's, so nothing is written any more.
 */
export class Attempt implements AttemptPort {
  readonly claim: Claim;
  readonly job: JobDefinition;
  readonly #times: AttemptTimes;
  readonly #options: AttemptOptions;
  // Made for the first word and the first artifact: most attempts have none.
  #reports: Reports | null = null;
  #artifacts: AttemptArtifacts | null = null;
  #giveUp: ((outcome: Outcome) => void) | null = null;
  #row: Job;
  #kept: KeptProgress | null = null;
  #execution: Execution | null = null;
  #joined: Joined | null = null;
  #stop: JobStop | null = null;
  #isForced = false;
  #isEnded = false;
  #hasReturned = false;
  #isLost = false;
  /** Its end is on its way, or it has none. */
  #isReported = false;
  #broken: Outcome | null = null;

  constructor({ claim, job, askedAt }: AttemptParts, options: AttemptOptions) {
    this.claim = claim;
    this.job = job;
    this.#options = options;
    this.#row = claim.job;
    this.#times = new AttemptTimes(claim, askedAt);
  }

  get startBy(): number {
    return this.#times.startBy;
  }

  get held(): Ownership {
    return heldBy(this.claim, this.#row);
  }

  /** What its handler has said and nobody was told yet. */
  get reports(): Reports {
    return (this.#reports ??= new Reports());
  }

  get hasNews(): boolean {
    return this.#reports?.hasNews === true;
  }

  /** True once its job may be someone else's: then it has nothing to say any more. */
  get isLost(): boolean {
    this.#isLost ||= this.#options.clock.now() >= this.#times.deadlineAt;
    return this.#isLost;
  }

  /** The job's row after `start`, known without reading it. */
  started(at: Instant | null): void {
    this.#row = startedRow(this.job.lifecycle, this.#row, at);
  }

  /** Runs the handler to its end, whichever that is; null where there is nothing to report. */
  run(launch: (launch: Launch) => Execution): Promise<Ending | null> {
    if (this.#stop !== null) return Promise.resolve(this.#end(stopped));
    return this.#perform(launch).then((outcome) => this.#end(outcome));
  }

  #perform(launch: (launch: Launch) => Execution): Promise<Outcome> {
    try {
      const execution = launch({ job: this.job, facts: factsOf(this.claim), port: this });
      this.#execution = execution;
      execution.onUncaught = (outcome) => this.#break(outcome);
      return new Promise((resolve) => {
        this.#giveUp = resolve;
        void execution.outcome.then((outcome) => {
          this.#hasReturned = true;
          return resolve(outcome);
        });
      });
    } catch (error) {
      return Promise.resolve(notBegun(error));
    }
  }

  /** Fails by an error that its handler left to nobody; false where it is too late for that. */
  #break(outcome: Outcome): boolean {
    if (this.#isReported || this.isLost) return false;
    this.#broken ??= outcome;
    if (this.#isEnded) return true;
    this.#force(brokenStop());
    this.#giveUp?.(outcome);
    return true;
  }

  /** What is reported of it, from now on for good: an error that nobody caught undoes a success. */
  reported(ending: Ending): Ending {
    this.#isReported = true;
    return this.#broken === null ? ending : undoneBy(this.#broken, ending);
  }

  #end(outcome: Outcome): Ending | null | Promise<Ending | null> {
    this.#isEnded = true;
    this.#artifacts?.end(this.#reason);
    const gone = this.#execution?.end() ?? null;
    // Until its end is reported it holds no more of its handler than it must.
    this.#giveUp = null;
    if (this.#hasReturned) this.#execution = null;
    const told = (): Ending | null =>
      this.isLost ? null : endingOf(outcome, this.#stop, this.#kept ?? NO_PROGRESS);
    return gone === null ? told() : gone.then(told);
  }

  /** Told to who comes too late; made only then, for an error is dear. */
  get #reason(): () => JobStop {
    return () => this.#stop ?? closedStop();
  }

  /** Resolves when an inline handler ends that goes on after its attempt; null if none does. */
  get stray(): Promise<unknown> | null {
    if (this.#stop !== null && this.batchAtWork !== null) return this.batchAtWork;
    if (this.#execution === null || this.#hasReturned) return null;
    return this.job.isolation.kind === 'inline' ? this.#execution.outcome : null;
  }

  /** Resolves when the handler of many jobs ends that this one was a part of; null if it has. */
  get batchAtWork(): Promise<void> | null {
    return this.#joined?.atWork ?? null;
  }

  join(plan: BatchPlan, context: RunContext<unknown>): Promise<unknown> {
    this.#joined = this.#options.batches.join(this.job, plan, context);
    return this.#joined.outcome;
  }

  tell(report: Report): void {
    if (this.#isEnded) return;
    if (report.stage !== undefined) this.#row = { ...this.#row, stage: report.stage };
    const { hasNews } = this;
    this.reports.tell(report);
    if (!hasNews) this.#options.onNews(this.nextBeatAt);
  }

  async keep(write: Keep): Promise<void> {
    this.#checkHeld();
    const durable = this.reports.keep(write);
    this.#options.onUrgent();
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

  async flow(call: FlowCall): Promise<FlowAnswer> {
    const held = (): Ownership => this.#checkHeld();
    return askFlow(this.#options.flows, { held, onLost: (error) => this.#lose(error) }, call);
  }

  get #ownArtifacts(): AttemptArtifacts {
    if (this.#artifacts !== null) return this.#artifacts;
    this.#artifacts = new AttemptArtifacts({
      access: this.#options.artifacts,
      held: () => this.held,
      onLost: (error) => this.#lose(error),
    });
    if (this.#isForced) this.#artifacts.end(this.#reason);
    return this.#artifacts;
  }

  #checkHeld(): Ownership {
    // The handler of a worker that just woke up may ask before the next look at the clock is due.
    if (this.isLost) this.fence();
    if (this.isLost || this.#isEnded) throw this.#reason();
    return this.held;
  }

  /** Aborts the handler's signal. Forced: goes on without waiting for what it does then. */
  stop(stop: JobStop, options: { isForced: boolean }): void {
    if (this.#isEnded || (this.#stop !== null && !options.isForced)) return;
    if (!options.isForced) return this.#ask(stop);
    this.#force(stop);
    this.#giveUp?.(stopped);
  }

  #ask(stop: JobStop): void {
    this.#stop = stop;
    this.#execution?.stop(stop);
  }

  #force(stop: JobStop): void {
    this.#ask(stop);
    this.#isForced = true;
    this.reports.close(this.#reason);
    this.#artifacts?.end(this.#reason);
  }

  /** Ends what has run out of time by now, and says when to look again. */
  fence(): number {
    const stop = this.isLost ? leaseStop('the lease was not renewed in time') : null;
    const due = stop ?? this.#times.overdue(this.#options.clock.now());
    if (due !== null) this.stop(due, FORCED);
    if (this.isLost) return Infinity;
    return this.#isEnded || this.#isForced ? this.#times.deadlineAt : this.#times.endsAt;
  }

  /** When its next beat is due; now, if someone waits. */
  get nextBeatAt(): number {
    const news = !this.hasNews ? 'none' : this.reports.isUrgent ? 'urgent' : 'some';
    return this.#times.nextBeatAt(news, this.#options.reportMs);
  }

  /** Renews at the next chance, to hear whether someone asked for its end. */
  hurry(): void {
    this.#times.hurry();
  }

  answered(beatReport: BeatReport, result: BeatResult, askedAt: number): void {
    if (result.kind === 'refused') {
      const { error } = result;
      const isDropped = isDroppable(error);
      // Something that came with the beat was refused, so the lease has not been renewed.
      if (isDropped) this.#times.refused(this.#options.clock.now());
      const reason = isDropped ? failureFromRefusal(error) : this.#lose(error);
      beatReport.keep?.durable.reject(reason);
      return;
    }
    this.#times.renewed(result.leaseExpiry - result.at, askedAt);
    const { keep } = beatReport;
    if (keep !== null) (this.#kept ??= new KeptProgress(this.claim)).confirm(keep);
    if (result.cancel === null) return;
    this.#row = { ...this.#row, cancel: result.cancel };
    this.stop(softCancel(result.cancel), { isForced: false });
  }

  unanswered(beatReport: BeatReport): void {
    this.reports.putBack(beatReport);
    this.#times.unanswered(this.#options.clock.now());
  }

  /** Its job was given to this worker again: what its handler still does, null for nothing. */
  supersede(): Promise<unknown> | null {
    this.#isLost = true;
    this.stop(leaseStop('the job was claimed again'), FORCED);
    return this.#hasReturned ? null : (this.#execution?.outcome ?? null);
  }

  close(): void {
    this.#isEnded = this.#isReported = true;
    this.#reports?.close(this.#reason);
  }

  /** The job is not this worker's any more, says the platform, or its type has no such stage. */
  #lose(error: PawlError): JobStop {
    const stop = refusalStop(error);
    this.#isLost ||= stop.why !== 'refused';
    this.stop(stop, FORCED);
    return stop;
  }
}

const FORCED = { isForced: true };
const stopped: Outcome = { kind: 'stopped' };
