import type { Failure } from '../core/decision.ts';
import type { Ending } from '../core/ending.ts';
import { silentLog } from '../engine/context.ts';
import { failureOf } from '../handler/thrown-error.ts';
import type { Attempt } from './attempt.ts';
import { Batches } from './batches.ts';
import { PrefetchDepth } from './prefetch-depth.ts';
import { InFlight } from './in-flight.ts';
import { Heartbeats } from './heartbeats.ts';
import type { Execution, Launch } from './isolate/execution.ts';
import { Pool } from './isolate/pool.ts';
import { catchUncaught } from '../handler/uncaught.ts';
import { type ClaimBeside, Settler } from './settler.ts';
import { Slots } from './slots.ts';
import { WakeSignal } from './wake-signal.ts';
import { WaitingLine } from './waiting-line.ts';
import { type AttemptWatch, watchedLaunch } from './watch.ts';
import type { WorkerSetup } from './worker.ts';

/** A handler that heeds its signal needs a moment for it. */
const STRAY_MS = 1_000;

/** So many ends may be on their way to the store. */
const UNSETTLED_MAX = 2_000;

export interface RunnerOptions {
  /** A slot has come free. */
  readonly onFree: () => void;
  /** What to claim in the same call in which so many ends are reported; null: nothing. */
  readonly claimBeside: (ends: number) => ClaimBeside | null;
}

/** Takes attempts through their steps: held, begun in a free slot, run, reported, closed. */
export class Runner {
  readonly slots: Slots;
  readonly inFlight: InFlight;
  readonly heartbeats: Heartbeats;
  readonly batches: Batches;
  readonly #setup: WorkerSetup;
  readonly #pool: Pool;
  readonly #settler: Settler;
  readonly #prefetchDepth: PrefetchDepth;
  readonly #onFree: () => void;
  readonly #watches: Map<Attempt, AttemptWatch> = new Map();
  readonly #strays: Set<Attempt> = new Set();
  readonly #closing = new AbortController();
  readonly #line: WaitingLine = new WaitingLine();
  #isLeaving = false;

  constructor(setup: WorkerSetup, { onFree, claimBeside }: RunnerOptions) {
    const { source, clock, timers, log } = setup;
    this.#setup = setup;
    this.#onFree = onFree;
    this.#pool = new Pool((failure, jobId) => this.#late(failure, jobId));
    this.slots = new Slots(setup.jobs, setup);
    this.inFlight = new InFlight(timers);
    this.heartbeats = new Heartbeats({ source, clock, wakeSignal: new WakeSignal(timers), log });
    const { gather = (ms, signal) => timers.sleep(ms, signal), slots } = setup;
    this.batches = new Batches({ sleep: gather, slots });
    this.#prefetchDepth = new PrefetchDepth(setup.prefetch, clock);
    const onClosed = (attempt: Attempt): void => this.#close(attempt);
    this.#settler = new Settler({ ...setup, onClosed, claimBeside });
  }

  /** Inline handlers that were told to stop and go on: nothing but their own end ends them. */
  get strays(): number {
    return this.#strays.size;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Resolves once the ends that are about to be reported have left; null where there are none. */
  get reportsLeaving(): Promise<void> | null {
    return this.#settler.leaving;
  }

  /**
   * How many jobs to ask for now, beside those that are asked for already. While some wait for a
   * slot, or are asked for, it asks for many at a time or none: small claims cost the most. While
   * many ends are still to be reported it asks for none: what is done must not pile up.
   */
  roomBeside(asked: number): number {
    if (this.#settler.unsettled >= UNSETTLED_MAX) return 0;
    const ahead = this.#prefetchDepth.jobs();
    const room = Math.max(0, this.slots.roomWith(ahead) - asked);
    const isUrgent = this.#line.size === 0 && asked === 0;
    const isWorthwhile = isUrgent || room >= (this.slots.size + ahead) / 3;
    return isWorthwhile ? room : 0;
  }

  /** When the first of those that wait must have begun. */
  get startBy(): number {
    return this.#line.startBy;
  }

  hold(attempt: Attempt): void {
    const older = this.inFlight.other(attempt);
    this.slots.hold(attempt.job.type);
    this.inFlight.add(attempt);
    const running = older?.supersede() ?? null;
    if (running === null) this.#line.add(attempt);
    else void this.#holdAfter(running, attempt);
  }

  /** One job is worked on once at a time; who waits for too long is given back. */
  async #holdAfter(older: Promise<unknown>, attempt: Attempt): Promise<void> {
    const { timers, clock } = this.#setup;
    const done = new AbortController();
    const late = timers.sleep(Math.max(0, attempt.startBy - clock.now()), done.signal);
    await Promise.race([older, late]);
    done.abort();
    this.#line.add(attempt);
    await this.begin();
  }

  /** What handlers of this thread leave to nobody fails their own attempt from now on. */
  catchUncaught(): () => void {
    // Weakly: a worker that is never stopped, only forgotten, is not kept by its listening.
    const self = new WeakRef(this);
    return catchUncaught((thrown, owner) => {
      const runner = self.deref();
      if (runner === undefined) return false;
      runner.#late(failureOf(thrown, null), owner?.jobId ?? null);
      return true;
    });
  }

  /** An error that nobody caught and that fails no attempt, for there is none any more. */
  #late(failure: Failure, jobId: string | null): void {
    const { log, watch } = this.#setup;
    watch?.unattributed?.();
    const { class: errorClass, message, stack } = failure;
    const facts = { errorClass, error: message, ...(typeof stack === 'string' ? { stack } : {}) };
    const known = jobId === null ? facts : { jobId, ...facts };
    const said =
      jobId === null
        ? 'uncaught error that belongs to no attempt: catch it where it is thrown'
        : 'uncaught error of a handler whose attempt had ended: await promises, clear timers';
    // A program that gave no log would otherwise never hear of errors that are its own.
    if (log === silentLog) process.emitWarning(`pawl: ${said}: ${stack ?? message}`);
    else log.warn(said, known);
  }

  /** From now on nothing begins: what waits, or is still to come, is given back. */
  leave(): void {
    this.#isLeaving = true;
    this.batches.leave();
    this.#line.takeWhile((attempt) => {
      this.#giveBack(attempt);
      return true;
    });
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.heartbeats.stop();
    return this.#pool.close();
  }

  /** Begins what has a slot; what waited for one for too long is given back while it still can. */
  async begin(): Promise<void> {
    await this.#beginAll();
  }

  /** Null where nothing is to be waited for: with many short jobs this is called for each. */
  #beginAll(): Promise<void> | null {
    if (this.#line.size === 0) return null;
    const begun: Attempt[] = [];
    const now = this.#setup.clock.now();
    this.#line.takeWhile((attempt) => {
      if (this.#isLeaving || attempt.startBy <= now) this.#giveBack(attempt);
      else if (!this.slots.enter(attempt.job.type)) return false;
      else begun.push(attempt);
      return true;
    });
    this.heartbeats.add(begun);
    let leased: Attempt[] | null = null;
    for (const attempt of begun) {
      if (attempt.claim.job.phase === 'leased') (leased ??= []).push(attempt);
      else this.#run(attempt);
    }
    return leased === null ? null : this.#startLeased(leased);
  }

  async #startLeased(leased: readonly Attempt[]): Promise<void> {
    const { source, log } = this.#setup;
    try {
      const outcomes = await source.start(leased.map((attempt) => attempt.held));
      leased.forEach((attempt, index) => {
        const outcome = outcomes[index]!;
        if (outcome.kind === 'refused') this.#end(attempt);
        else {
          attempt.started(outcome.kind === 'moved' ? (outcome.at ?? null) : null);
          this.#run(attempt);
        }
      });
    } catch (error) {
      log.warn('jobs could not be started and return to their queue', { error: String(error) });
      for (const attempt of leased) {
        this.slots.leave(attempt.job.type);
        this.#giveBack(attempt);
      }
    }
  }

  #run(attempt: Attempt): void {
    const ended = attempt.run((launch) => this.#launch(attempt, launch));
    void ended.then((ending) => this.#goOn(attempt, ending));
  }

  #goOn(attempt: Attempt, ending: Ending | null): Promise<void> | null {
    this.#prefetchDepth.ended();
    this.#ended(attempt, ending);
    if (ending === null) this.#end(attempt);
    else {
      this.#leave(attempt);
      this.#settler.push(attempt, ending);
    }
    this.#onFree();
    return this.#beginAll();
  }

  /** A slot is free when its handler has ended, and an inline one cannot be made to. */
  #leave(attempt: Attempt): void {
    const { type } = attempt.job;
    const { stray } = attempt;
    const working = stray ?? attempt.batchAtWork;
    if (working === null) {
      this.slots.leave(type);
      this.slots.letGo(type);
      return;
    }
    if (stray !== null) {
      this.#strays.add(attempt);
      void this.#warnOf(attempt);
    }
    void working.then(() => {
      this.#strays.delete(attempt);
      this.slots.leave(type);
      this.slots.letGo(type);
      this.#onFree();
      return this.begin();
    });
  }

  async #warnOf(attempt: Attempt): Promise<void> {
    const { timers, log } = this.#setup;
    await timers.sleep(STRAY_MS, this.#closing.signal);
    if (!this.#strays.has(attempt)) return;
    const { id, type } = attempt.claim.job;
    const message =
      'an inline handler is still running after its attempt ended, and keeps its slot';
    log.warn(message, { jobId: id, type, strays: this.strays });
  }

  #launch(attempt: Attempt, launch: Launch): Execution {
    const watch = this.#setup.watch?.begin(attempt.claim) ?? null;
    if (watch === null) return this.#pool.launch(launch);
    this.#watches.set(attempt, watch);
    return watch.within(null, () => this.#pool.launch(watchedLaunch(launch, watch)));
  }

  #ended(attempt: Attempt, ending: Ending | null): void {
    const watch = this.#watches.get(attempt);
    if (watch === undefined) return;
    watch.ended(ending);
    const legacy = ending?.kind === 'fail' ? watch.legacy : null;
    // It goes up with the last words; an attempt that has none any more leaves nothing.
    if (legacy !== null) attempt.reports.keep({ stageResult: legacy }).catch(() => undefined);
  }

  /** Ends an attempt of which there is nothing to report. */
  #end(attempt: Attempt): void {
    this.#leave(attempt);
    this.#close(attempt);
  }

  #giveBack(attempt: Attempt): void {
    this.slots.letGo(attempt.job.type);
    this.#settler.push(attempt, { kind: 'release' });
  }

  #close(attempt: Attempt): void {
    attempt.close();
    this.#watches.get(attempt)?.closed();
    this.#watches.delete(attempt);
    this.heartbeats.remove(attempt);
    this.inFlight.remove(attempt);
    // Whoever waited until fewer ends were on their way may claim again.
    if (this.#settler.unsettled === UNSETTLED_MAX - 1) this.#onFree();
  }
}
