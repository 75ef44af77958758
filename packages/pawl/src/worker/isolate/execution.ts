import type { AttemptFacts, AttemptPort } from '../../handler/attempt-port.ts';
import type { JobDefinition } from '../../handler/define-job.ts';
import { execute, failedBy, type Outcome } from '../../handler/execute.ts';
import { JobStop, StopSwitch } from '../../handler/stop.ts';
import { isSuspended } from '../../handler/suspended.ts';
import { isInstance } from '../../handler/thrown-error.ts';
import { type ErrorOwner, ownedBy } from '../../handler/uncaught.ts';

/** A handler at work. */
export interface Execution {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** Aborts the handler's signal; whether it stops is the handler's choice. */
  stop(stop: JobStop): void;
  /** Leaves it no choice, where that is possible; null: an inline handler can only be forgotten. */
  end(): Promise<void> | null;
  /** Of a handler in this thread: told of its end by an error that nobody caught. */
  onUncaught?: (outcome: Outcome) => boolean;
}

export interface Launch {
  readonly job: JobDefinition;
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
}

/** A handler in this very thread. */
export class InlineExecution implements Execution, ErrorOwner {
  readonly outcome: Promise<Outcome>;
  onUncaught?: (outcome: Outcome) => boolean;
  readonly jobId: string;
  readonly job: JobDefinition;
  readonly #stops = new StopSwitch();

  /** What a handler leaves behind holds this for as long: no more than must be. */
  constructor({ job, facts, port }: Launch) {
    this.jobId = facts.job.id;
    this.job = job;
    this.outcome = ownedBy(this, execute, job, { facts, port, stops: this.#stops });
  }

  uncaught(thrown: unknown): boolean {
    // What was told to stop, or came too late, may say so to nobody.
    if (isInstance(thrown, JobStop) || isSuspended(thrown)) return true;
    return this.onUncaught?.(failedBy(this.job, thrown, null)) ?? false;
  }

  stop(stop: JobStop): void {
    this.#stops.turn(stop);
  }

  end(): null {
    return null;
  }
}
