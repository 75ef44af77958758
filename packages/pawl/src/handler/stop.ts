import type { CancelMode } from '../core/job.ts';
import { SUSPENDED } from './suspended.ts';
import { readMember } from './thrown-error.ts';

/**
 * Why a handler is to stop. `cancelled`: someone asked for the job's end. `leaseLost`: the job may
 * already be another worker's. `timedOut`: the attempt took too long. `deadline`: the job did.
 * `shutdown`: the worker goes away and gives the job back. `refused`: the platform refused what
 * the handler reported, such as a stage that its type does not declare. `closed`: the attempt has
 * ended. `suspended`: the turn has, until one of the handler's waits is decided.
 */
export type StopWhy =
  | 'cancelled'
  | 'leaseLost'
  | 'timedOut'
  | 'deadline'
  | 'shutdown'
  | 'refused'
  | 'closed'
  | 'suspended';

/** As plain data, which also crosses into threads and processes. */
export interface StopFacts {
  readonly why: StopWhy;
  readonly message: string;
  /** Of a cancel; null for every other why. */
  readonly mode: CancelMode | null;
}

/** The value of `signal.reason`, named like the abort errors of the runtime. */
export class JobStop extends Error {
  readonly why: StopWhy;
  readonly mode: CancelMode | null;

  constructor(facts: StopFacts) {
    super(facts.message);
    this.name = 'AbortError';
    this.why = facts.why;
    this.mode = facts.mode;
  }

  get facts(): StopFacts {
    return { why: this.why, message: this.message, mode: this.mode };
  }
}

/** Tells a handler to stop. Its signal is made for who asks for it: most handlers do not. */
export class StopSwitch {
  #controller: AbortController | null = null;
  #stop: JobStop | null = null;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#stop !== null) this.#controller.abort(this.#stop);
    }
    return this.#controller.signal;
  }

  /** Null until it is turned. */
  get stop(): JobStop | null {
    return this.#stop;
  }

  turn(stop: JobStop): void {
    this.#stop ??= stop;
    this.#controller?.abort(this.#stop);
  }

  /** Throws what ends the turn. */
  throwIfTurned(): void {
    // oxlint-disable-next-line typescript/only-throw-error -- a suspension is no error
    if (this.#stop !== null) throw this.#stop.why === 'suspended' ? SUSPENDED : this.#stop;
  }

  get isSuspended(): boolean {
    return this.#stop?.why === 'suspended';
  }

  isHeededBy(error: unknown): boolean {
    return this.#stop !== null && isHeeded(error, this.signal);
  }
}

/** Whether an error only reports that the handler stopped at its `signal`. */
export function isHeeded(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  if (error === signal.reason) return true;
  return readMember(error, 'name') === 'AbortError' || readMember(error, 'cause') === signal.reason;
}
