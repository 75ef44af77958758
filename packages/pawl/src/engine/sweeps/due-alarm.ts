import type { Timers } from '../../core/timers.ts';
import type { EngineContext } from '../context.ts';
import { sweepDue } from './due.ts';
import { sweepSchedules } from './schedules.ts';

export interface DueAlarmOptions {
  readonly timers: Timers;
  /** How often it looks for what other processes have delayed; the sweep does so too. */
  readonly everyMs: number;
}

/** What comes due within so short a time is let in together. */
const TOGETHER_MS = 10;
const STUCK_MAX = 20;

/**
 * Lets delayed jobs in, and fires schedules, at the moment when they are due rather than with the
 * next sweep. It asks the store when that is, and is told of delays that this process has written;
 * what another process delays for less than a period may wait for the next look.
 */
export class DueAlarm {
  readonly #context: EngineContext;
  readonly #options: DueAlarmOptions;
  #running: { readonly controller: AbortController; readonly loop: Promise<void> } | null = null;
  /** How long it sleeps now, and what ends that. */
  #sleep: { readonly ms: number; readonly wake: AbortController } | null = null;

  /** The shortest delay that was told of since it last looked. */
  #heardMs = Infinity;
  /** How often in a row something was due and could not be let in. */
  #stuck = 0;

  constructor(context: EngineContext, options: DueAlarmOptions) {
    this.#context = context;
    this.#options = options;
  }

  start(): void {
    if (this.#running !== null) return;
    const controller = new AbortController();
    const leave = this.#context.wakeSignal.onDelay((ms) => this.#hear(ms));
    const loop = this.#loop(controller.signal).finally(leave);
    this.#running = { controller, loop };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    running?.controller.abort();
    this.#sleep?.wake.abort();
    await running?.loop;
  }

  /** Something here is due in so many milliseconds: when exactly, the store tells. */
  #hear(ms: number): void {
    this.#heardMs = Math.min(this.#heardMs, ms);
    if (this.#sleep !== null && ms < this.#sleep.ms) this.#sleep.wake.abort();
  }

  async #loop(stopping: AbortSignal): Promise<void> {
    const { timers, everyMs } = this.#options;
    while (!stopping.aborted) {
      this.#heardMs = Infinity;
      // A store that is away is the sweep's to tell of.
      const next = await this.#attend().catch(() => everyMs);
      this.#sleep = { ms: Math.min(next, this.#heardMs, everyMs), wake: new AbortController() };
      if (!stopping.aborted) await timers.sleep(this.#sleep.ms, this.#sleep.wake.signal);
      this.#sleep = null;
    }
  }

  /** Lets in what is due, and says for how long nothing will be. */
  async #attend(): Promise<number> {
    const before = await this.#untilDue();
    if (before > 0) return before;
    const fired = await sweepSchedules(this.#context);
    const opened = await sweepDue(this.#context);
    const next = await this.#untilDue();
    // What stays due is not for this process, as a job of a lifecycle that it does not know.
    this.#stuck = fired + opened > 0 || next > 0 ? 0 : this.#stuck + 1;
    return Math.max(next, TOGETHER_MS * 2 ** Math.min(this.#stuck, STUCK_MAX));
  }

  async #untilDue(): Promise<number> {
    const { store, records } = this.#context;
    const [job, slot] = await Promise.all([store.untilDue(), records.schedules.untilDue()]);
    return Math.min(job ?? Infinity, slot ?? Infinity);
  }
}
