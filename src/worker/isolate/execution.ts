import type { AttemptFacts, AttemptPort } from '../../handler/attempt-port.ts';
import type { JobDefinition } from '../../handler/define-job.ts';
import { execute, type Outcome } from '../../handler/execute.ts';
import { type JobStop, StopSwitch } from '../../handler/stop.ts';

/** A handler at work. */
export interface Execution {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** Aborts the handler's signal; whether it stops is the handler's choice. */
  stop(stop: JobStop): void;
  /** Leaves it no choice, where that is possible; null: an inline handler can only be forgotten. */
  end(): Promise<void> | null;
}

export interface Launch {
  readonly job: JobDefinition;
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
}

/** A handler in this very thread. */
export class InlineExecution implements Execution {
  readonly outcome: Promise<Outcome>;
  readonly #stops = new StopSwitch();

  constructor({ job, facts, port }: Launch) {
    this.outcome = execute(job, { facts, port, stops: this.#stops });
  }

  stop(stop: JobStop): void {
    this.#stops.turn(stop);
  }

  end(): null {
    return null;
  }
}
