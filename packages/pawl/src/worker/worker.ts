import type { Clock } from '../core/clock.ts';
import { type Duration, durationMs } from '../core/duration.ts';
import type { Timers } from '../core/timers.ts';
import type { EngineLog } from '../engine/context.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { ArtifactAccess } from './attempt-artifacts.ts';
import type { Attempt } from './attempt.ts';
import { WakeSignal } from './wake-signal.ts';
import { Claimer } from './claimer.ts';
import type { JobSource } from '../engine/source.ts';
import { Pace, type PaceOptions } from './pace.ts';
import { Presence } from './presence.ts';
import { Runner } from './runner.ts';
import type { ClaimBeside } from './settler.ts';
import type { ClaimOrder, SlotOptions } from './slots.ts';
import { shutdownStop } from './stops.ts';
import type { WorkerWatch } from './watch.ts';

export interface WorkerSetup extends SlotOptions {
  readonly id: string;
  readonly source: JobSource;
  readonly jobs: readonly JobDefinition[];
  /** Null: its handlers have no artifacts. */
  readonly artifacts: ArtifactAccess | null;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: EngineLog;
  readonly watch: WorkerWatch | null;
  readonly pollMs: PaceOptions;
  readonly reportMs: number;
  readonly tenants: readonly string[] | null;
  readonly queues: readonly string[] | null;
  /** How the first job of a batch waits for others; left out: by `timers`. */
  readonly gather?: Timers['sleep'];
}

export interface DrainOptions {
  /** How long running handlers may go on before they are asked to stop; default: 30 seconds. */
  readonly timeout?: Duration;
  /** How long they have then, before they are ended and given back; default: a second. */
  readonly grace?: Duration;
}

const CLAIM_MAX = 1_000;
/** Of more than so many ends or jobs, one commit for both gains nothing worth a later claim. */
const BESIDE_MAX = 100;
/** Even in a hurry a job is given back properly if the store answers within this time. */
const REPORT_MS = 500;

/** How many jobs were asked for and how many came. */
type Counts = Readonly<Record<'wanted' | 'found', number>>;

/**
 * Claims jobs, runs their handlers and reports the ends.
 *
 * Modes: *new*; *working* from `start`; *draining* until what it has is finished; *stopped*.
 */
export class Worker {
  readonly #setup: WorkerSetup;
  readonly #pace: Pace;
  readonly #wakeSignal: WakeSignal;
  readonly #runner: Runner;
  readonly #claimer: Claimer;
  /** For a second claim under way: its requests must not be taken for those of the first. */
  readonly #aheadClaimer: Claimer;
  /** For claims in the same call as a report. */
  readonly #besideClaimer: Claimer;
  /** How many jobs the one under way asks for. */
  #beside = 0;
  /** What the last one brought, until the loop has heard of it. */
  #answered: Counts | null = null;
  /** Whether somebody said that there may be work since it was sent. */
  #isWoken = false;
  /** Whether the loop waits for a claim of its own. */
  #isClaiming = false;
  /** How many jobs that claim asks for, and when it is answered. */
  #ahead: { readonly max: number; readonly answered: Promise<unknown> } | null = null;
  readonly #presence: Presence;
  readonly #end = Promise.withResolvers<void>();
  /** Resolves after a drain, whoever asked for it. */
  readonly stopped: Promise<void> = this.#end.promise;
  #looping: Promise<void> = Promise.resolve();
  #letErrorsBe: () => void = () => undefined;
  #mode: 'new' | 'working' | 'draining' | 'stopped' = 'new';

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
    this.#pace = new Pace(setup.pollMs);
    this.#wakeSignal = new WakeSignal(setup.timers);
    this.#runner = new Runner(setup, {
      onFree: () => this.#wakeSignal.wake(),
      claimBeside: (ends) => this.#claimBeside(ends),
    });
    this.#claimer = new Claimer(setup, this.#runner);
    this.#aheadClaimer = new Claimer(setup, this.#runner, 'ahead');
    this.#besideClaimer = new Claimer(setup, this.#runner, 'beside');
    this.#presence = new Presence(setup, () => void this.drain());
  }

  get id(): string {
    return this.#setup.id;
  }

  get mode(): 'new' | 'working' | 'draining' | 'stopped' {
    return this.#mode;
  }

  /** How many jobs it holds, and how many of them have no slot yet. */
  get load(): { readonly inFlight: number; readonly waiting: number } {
    return { inFlight: this.#runner.inFlight.size, waiting: this.#runner.waiting };
  }

  /** Inline handlers that were told to stop and go on: nothing but their own end ends them. */
  get strays(): number {
    return this.#runner.strays;
  }

  /** False when strays have all its slots: then it takes no jobs, and should be started anew. */
  get isHealthy(): boolean {
    return this.strays < this.#setup.slots;
  }

  start(): void {
    if (this.#mode !== 'new') return;
    this.#mode = 'working';
    this.#letErrorsBe = this.#runner.catchUncaught();
    void this.#runner.heartbeats.run();
    void this.#presence.run();
    this.#looping = this.#loop();
  }

  async #loop(): Promise<void> {
    while (this.#mode === 'working') {
      const sleepMs = await this.poll();
      await this.#wakeSignal.wait(sleepMs);
    }
    await this.#ahead?.answered;
  }

  /** Claims what there is room for, begins it, and says how long to sleep. */
  async poll(): Promise<number> {
    // Ends that are about to be reported may take the claim along.
    const leaving = this.#mode === 'working' ? this.#runner.reportsLeaving : null;
    if (leaving !== null) await leaving;
    const counts = this.#foundShort() ?? (await this.#claimAll());
    await this.#runner.begin();
    const startInMs = Math.max(0, this.#runner.startBy - this.#setup.clock.now());
    return Math.min(this.#pace.after(counts), startInMs);
  }

  /** What a claim beside a report has just found, if that was all there is, or is about to find. */
  #foundShort(): Counts | null {
    const answered = this.#answered;
    this.#answered = null;
    if (this.#isWoken) return null;
    if (this.#beside > 0 && this.#claimer.isShort) return { wanted: 0, found: 0 };
    return answered !== null && answered.found < answered.wanted ? answered : null;
  }

  async #claimAll(): Promise<Counts> {
    const counts = { wanted: 0, found: 0 };
    for (const order of this.#runner.slots.orders()) {
      const max = this.#maxOf(order);
      if (max === 0 || this.#isLeaving) continue;
      if (this.#isAheadWorthwhile(order)) {
        this.#claimAhead({ ...order, max });
        continue;
      }
      counts.wanted += max;
      this.#isClaiming = true;
      counts.found += await this.#take(this.#nextClaimer, { ...order, max });
      this.#isClaiming = false;
    }
    return counts;
  }

  /** How many jobs of an order to ask for, beside those that are asked for already. */
  #maxOf(order: ClaimOrder): number {
    const asked = (this.#ahead?.max ?? 0) + this.#beside;
    return Math.min(order.max, this.#runner.roomBeside(asked), CLAIM_MAX);
  }

  /** Whoever is owed an answer comes first, unless its claim is under way again. */
  get #nextClaimer(): Claimer {
    if (this.#aheadClaimer.isOwed) return this.#aheadClaimer;
    return this.#besideClaimer.isOwed && this.#beside === 0 ? this.#besideClaimer : this.#claimer;
  }

  async #take(claimer: Claimer, order: ClaimOrder): Promise<number> {
    const attempts = await claimer.claim(order);
    for (const attempt of attempts) this.#runner.hold(attempt);
    return attempts.length;
  }

  /** While jobs wait for a slot nobody waits for a claim; limited types are claimed one by one. */
  #isAheadWorthwhile(order: ClaimOrder): boolean {
    const isFree = this.#ahead === null && !this.#aheadClaimer.isOwed;
    return isFree && order.max === Infinity && this.#runner.waiting > 0;
  }

  /** So the database has the next claim while it answers this one, and neither side idles. */
  #claimAhead(order: ClaimOrder): void {
    const answered = this.#take(this.#aheadClaimer, order).then(() => {
      this.#ahead = null;
      this.#wakeSignal.wake();
      return this.#runner.begin();
    });
    this.#ahead = { max: order.max, answered };
  }

  /** A claim for the call in which so many ends are reported; null where it is made apart. */
  #claimBeside(ends: number): ClaimBeside | null {
    const order = this.#runner.slots.onlyOrder;
    const isOwed = this.#claimer.isOwed || this.#aheadClaimer.isOwed;
    if (this.#mode !== 'working' || this.#isClaiming || isOwed || order === null) return null;
    const max = Math.min(this.#maxOf(order), this.#claimer.isShort ? BESIDE_MAX : Infinity);
    if (max === 0 || Math.max(max, ends) > BESIDE_MAX) return null;
    const { options, won, lost } = this.#besideClaimer.ask({ ...order, max });
    this.#beside = max;
    this.#isWoken = false;
    return {
      options,
      won: (claims) => this.#wonBeside(won(claims), max),
      lost: (error) => {
        lost(error);
        this.#beside = 0;
        this.#wakeSignal.wake();
      },
    };
  }

  #wonBeside(attempts: readonly Attempt[], wanted: number): void {
    this.#beside = 0;
    // Nobody is there any more: their leases run out.
    if (this.#mode === 'stopped') return;
    for (const attempt of attempts) this.#runner.hold(attempt);
    this.#answered = { wanted, found: attempts.length };
    this.#wakeSignal.wake();
    void this.#runner.begin();
  }

  /** A hint that there may be work. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeSignal.wake();
  }

  /** A hint that someone may have cancelled: leases are renewed at once, which tells. */
  check(): void {
    for (const attempt of this.#runner.inFlight.attempts) attempt.hurry();
    this.#runner.heartbeats.hurry();
  }

  /** Renews what is due, and says when the next is; `start` does this by itself. */
  beat(): Promise<number> {
    return this.#runner.heartbeats.beat();
  }

  /** Resolves when nothing is in flight. */
  idle(): Promise<void> {
    return this.#runner.inFlight.empty();
  }

  /**
   * Stops claiming, lets handlers finish, then asks them to stop, then ends them. Jobs that did not
   * end are given back without spending an attempt. Calling it again can only make it faster.
   */
  async drain({ timeout = '30s', grace = '1s' }: DrainOptions = {}): Promise<void> {
    const timeoutMs = durationMs(timeout, '/timeout');
    const graceMs = durationMs(grace, '/grace');
    if (this.#mode !== 'stopped') this.#mode = 'draining';
    const { inFlight } = this.#runner;
    this.#wakeSignal.wake();
    this.#runner.leave();
    void this.#presence.tell('draining');
    await inFlight.emptyWithin(timeoutMs, this.#looping);
    const stop = shutdownStop();
    for (const isForced of [false, true]) {
      for (const attempt of inFlight.attempts) attempt.stop(stop, { isForced });
      await inFlight.emptyWithin(isForced ? Math.max(graceMs, REPORT_MS) : graceMs, this.#looping);
    }
    this.#mode = 'stopped';
    await this.#presence.leave(REPORT_MS);
    await this.#runner.close();
    this.#letErrorsBe();
    this.#end.resolve();
  }

  /** Ends as a killed process does: nothing is given back, and threads and processes are gone. */
  async crash(): Promise<void> {
    this.#mode = 'stopped';
    this.#wakeSignal.wake();
    await this.#runner.close();
    this.#letErrorsBe();
  }

  get #isLeaving(): boolean {
    return this.#mode === 'draining' || this.#mode === 'stopped';
  }
}
